//! What many bands of a page have in common is said once, with how many they are.
//!
//! ```text
//!  ①▌× id 1    xmax 0 → 760              ①▌× id 1    31× xmax 0 → 760
//!  ①▌× id 7    xmax 0 → 760      ──▶       ▌× id 7
//!  ①▌× id 13   xmax 0 → 760                ▌× id 13
//!        … 28 more, changed                      … 28 more, changed
//! ```

use super::panel::{Band, Fate, Panel};
use crate::scene::words::thousands;
use alloc::format;
use alloc::vec::Vec;

/// Bands of which the same is said one by one.
const FEW: usize = 3;

/// Says it at the first of them.
pub(super) fn once(panel: &mut Panel) {
    let tags = core::mem::take(&mut panel.tags);
    for (fate, tag, count) in &tags {
        let is_it = |band: &Band| band.fate == *fate && band.tag == *tag;
        if panel.bands().filter(|band| is_it(band)).count() <= FEW {
            continue;
        }
        let many = format!("{}× {tag}", thousands(*count as u64));
        let mut same = panel.bands_mut().filter(|band| is_it(band));
        if let Some(first) = same.next() {
            first.tag = many;
        }
        same.for_each(|band| band.tag.clear());
    }
    panel.tags = tags;
    marks_once(panel);
}

/// Where many to which the same happened have one number, the first has it.
fn marks_once(panel: &mut Panel) {
    let marked = |fate: Fate, mark: u8, panel: &Panel| {
        panel.bands().filter(|band| band.fate == fate && band.mark == Some(mark)).count()
    };
    let kinds: Vec<(Fate, u8)> = panel.bands().filter_map(|band| Some((band.fate, band.mark?))).collect();
    for (fate, mark) in kinds {
        if marked(fate, mark, panel) > FEW {
            let same = panel.bands_mut().filter(|band| band.fate == fate && band.mark == Some(mark));
            same.skip(1).for_each(|band| band.mark = None);
        }
    }
}
