//! The notes of several steps in the order in which things happened: by the step that first touched the page; on one
//! page what makes room before what needs it.

use super::panel::Fate;
use super::{FigureScene, Panel};
use crate::scene::Role;
use crate::timeline::Timeline;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::state::PageId;

/// The first and the last state whose step touched a page.
type Touched = BTreeMap<PageId, (usize, usize)>;

/// When something was marked, and its rank among what happened on that page; what has no mark comes last.
type Moment = (usize, u8);

/// Numbers the notes of these steps anew.
pub(super) fn by_time(scene: &mut FigureScene, timeline: &Timeline, states: &Range<usize>) {
    let mut touched = Touched::new();
    for state in states.clone() {
        for page in timeline.touched(state) {
            touched.entry(page).or_insert((state, state)).1 = state;
        }
    }
    let moments = moments(&scene.panels, &touched);
    let mut order: Vec<u8> = (1..).take(scene.notes.len()).collect();
    order.sort_by_key(|mark| moments.get(mark).copied().unwrap_or((usize::MAX, 0)));
    let new: BTreeMap<u8, u8> = order.iter().copied().zip(1..).collect();
    let renumber = |mark: &mut Option<u8>| *mark = mark.and_then(|mark| new.get(&mark).copied());
    for panel in &mut scene.panels {
        renumber(&mut panel.mark);
        panel.chips_mut().for_each(|chip| renumber(&mut chip.mark));
        panel.bands_mut().for_each(|band| renumber(&mut band.mark));
    }
    let note = |mark: &u8| scene.notes.get(usize::from(*mark) - 1).cloned().unwrap_or_else(String::new);
    scene.notes = order.iter().map(note).collect();
}

fn moments(panels: &[Panel], touched: &Touched) -> BTreeMap<u8, Moment> {
    let mut moments: BTreeMap<u8, Moment> = BTreeMap::new();
    let mut seen = |mark: Option<u8>, moment: Moment| {
        if let Some(mark) = mark {
            let first = moments.entry(mark).or_insert(moment);
            *first = moment.min(*first);
        }
    };
    for panel in panels {
        let (first, last) = panel.page.and_then(|page| touched.get(&page)).copied().unwrap_or((usize::MAX, usize::MAX));
        seen(panel.mark, (first, 5));
        for chip in panel.chips() {
            // a line pointer is given back after the indexes were cleaned, by the page's last step
            let is_freed = chip.role == Role::LpUnused || chip.fate == Fate::Gone;
            seen(chip.mark, if is_freed { (last, 6) } else { (first, 1) });
        }
        for (nth, band) in panel.bands().enumerate() {
            // the catalog says what the statement is about: what becomes of pages follows from it
            let is_cause = band.role == Role::Entry;
            seen(
                band.mark,
                if is_cause { (0, u8::try_from(nth).unwrap_or(u8::MAX)) } else { (first, rank(band.fate)) },
            );
        }
    }
    moments
}

/// What makes room comes before what takes it.
const fn rank(fate: Fate) -> u8 {
    match fate {
        Fate::Gone => 0,
        Fate::Left | Fate::Arrived | Fate::Shifted => 2,
        Fate::Changed | Fate::Damaged => 3,
        Fate::New => 4,
        Fate::Same | Fate::Concerned => 5,
    }
}
