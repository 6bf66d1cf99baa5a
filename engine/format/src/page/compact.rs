//! Closing the gaps between tuples (`compactify_tuples`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 3┼     hole     ┼ 3 ┼ gap ┼ 1 ┼ gap ┼ 2 ┤   ──▶   13:  ┼ 3 ┼ 1 ┼ 2 ┤     14 and later:  ┼ 3 ┼ 2 ┼ 1 ┤
//! ```
//!
//! 13 keeps the order of the tuples on the page; from 14 on they come to lie in the order of their line pointers.

use super::{ItemIdData, Page, PageHeaderData, PgVersion};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

/// What lengths are rounded up to multiples of.
const MAXALIGN: usize = super::MAXALIGN as usize;

impl Page {
    /// Do `pd_lower`, `pd_upper` and `pd_special` make sense?
    ///
    /// # Errors
    /// A sentence, where they do not.
    pub(super) fn check_pointers(&self) -> Result<(), String> {
        let (lower, upper, special) = (self.header().pd_lower(), self.header().pd_upper(), self.header().pd_special());
        let is_right = lower >= PageHeaderData::SIZE as u16
            && lower <= upper
            && upper <= special
            && special <= self.size()
            && special.is_multiple_of(super::MAXALIGN);
        if is_right {
            Ok(())
        } else {
            Err(format!("corrupted page pointers: lower = {lower}, upper = {upper}, special = {special}"))
        }
    }

    /// Moves the tuples of these line pointers to the page's end, and writes the line pointers and `pd_upper`. There
    /// may be fewer line pointers than the page had.
    ///
    /// # Errors
    /// A sentence, where one does not lie among the tuples, or they have no room; the page is as it was then.
    pub(super) fn compactify(&mut self, with: &mut Compaction, major: u32) -> Result<(), String> {
        let Compaction { lps, moved, .. } = with;
        let special = usize::from(self.special_start());
        let Tuples { in_place, upper, is_sorted } = self.survey(lps)?;
        let bytes = self.bytes_mut();
        let moved = if is_sorted {
            &mut [][..]
        } else {
            // all of the page, as a tuple of a damaged one may have fewer bytes than it takes up
            moved.clear();
            moved.extend_from_slice(bytes);
            moved
        };
        let tuples = lps[in_place..].iter_mut().filter(|lp| lp.is_stored());
        let lowest = if is_sorted || PgVersion::of_major(major).compacts_in_order() {
            pack(bytes, upper, special, moved, tuples)
        } else {
            let mut by_place: Vec<&mut ItemIdData> = tuples.collect();
            by_place.sort_by_key(|lp| Reverse(lp.lp_off()));
            pack(bytes, upper, special, moved, by_place.into_iter())
        };
        if let Some(moved) = moved.get(lowest..upper) {
            bytes[lowest..upper].copy_from_slice(moved);
        }
        self.set_item_ids(lps);
        self.set_pd_upper(lowest as u16);
        Ok(())
    }

    /// The same of a page that a server from 14 on has compacted before, where no other tuples came or went since than
    /// those of `changed`: the others lie one below the other as they did, and those between two that changed are moved
    /// together.
    pub(super) fn compactify_changed(&mut self, with: &mut Compaction) {
        let Compaction { changed, moves, .. } = with;
        let (special, end) = (usize::from(self.special_start()), usize::from(self.item_count()));
        let bytes = self.bytes_mut();
        moves.clear();
        let before = changed.first().map_or(end, |first| *first);
        let before = words(bytes, 0..before).iter().map(|word| ItemIdData::from(*word)).rfind(|lp| lp.is_stored());
        let upper = before.map_or(special, |lp| tuple_of(lp).start);
        let (mut to, mut lowest) = (upper, upper);
        for (n, at) in changed.iter().enumerate() {
            let behind = at + 1..changed.get(n + 1).map_or(end, |next| *next);
            for (places, has_changed) in [(*at..at + 1, true), (behind, false)] {
                let Some(run) = run_of(words(bytes, places.clone())) else { continue };
                lowest = to - run.len();
                // those that changed take as much room as before
                if places.end == end && run.end == to {
                    break;
                }
                to = lowest;
                shift(words(bytes, places), run.start, to);
                moves.add(bytes, run, to, has_changed);
            }
        }
        moves.make(bytes);
        PageHeaderData::edit(bytes).pd_upper(lowest as u16);
        debug_assert!(
            self.survey(&self.item_ids()).is_ok_and(|tuples| tuples.upper == lowest),
            "others than {changed:?} changed"
        );
    }

    /// Checks the tuples of these line pointers, and looks how they lie.
    fn survey(&self, lps: &[ItemIdData]) -> Result<Tuples, String> {
        let (lower, special) = (PageHeaderData::SIZE + size_of_val(lps), usize::from(self.special_start()));
        let pd_upper = usize::from(self.header().pd_upper());
        let outside = |at: usize, lp: ItemIdData| {
            Err(format!("line pointer {} leads to {}, out of the tuples", at + 1, lp.lp_off()))
        };
        let (mut in_place, mut upper) = (0, special);
        for (at, lp) in lps.iter().enumerate().filter(|(_, lp)| lp.is_stored()) {
            let tuple = tuple_of(*lp);
            if tuple.end != upper {
                break;
            }
            if tuple.start < pd_upper {
                return outside(at, *lp);
            }
            (in_place, upper) = (at + 1, tuple.start);
        }
        let (mut total, mut lowest, mut highest, mut is_sorted) = (special - upper, upper, 0, true);
        for lp in lps[in_place..].iter().copied().filter(|lp| lp.is_stored()) {
            let tuple = tuple_of(lp);
            is_sorted &= tuple.end.min(special) <= lowest;
            lowest = lowest.min(tuple.start);
            highest = highest.max(tuple.start + usize::from(lp.lp_len()));
            total += tuple.len();
        }
        let is_outside = |lp: &ItemIdData| {
            let start = usize::from(lp.lp_off());
            lp.is_stored() && (start < pd_upper || start + usize::from(lp.lp_len()) > special)
        };
        if (lowest < pd_upper || highest > special)
            && let Some(at) = lps.iter().position(is_outside)
        {
            return outside(at, lps[at]);
        }
        if total > special.saturating_sub(lower) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        Ok(Tuples { in_place, upper, is_sorted })
    }
}

/// Line pointers as they are to be, and memory to move their tuples with: one for many pages.
#[derive(Debug, Clone, Default)]
pub struct Compaction {
    /// as many as the page has, or fewer
    pub lps: Vec<ItemIdData>,
    /// places of those whose tuples came or went since the page was compacted last, in order
    pub changed: Vec<usize>,
    /// tuples in their new places, as far as they cannot be moved there one after the other
    moved: Vec<u8>,
    /// of a page of which it is known what changed
    moves: Moves,
}

/// Which tuples move where. Those that have not changed stay in their order, so that each can be moved on the page
/// before another takes its place; those that changed lie anywhere.
#[derive(Debug, Clone, Default)]
struct Moves {
    /// runs of those that have not changed, one below the other, and where each is to begin
    runs: Vec<(Range<usize>, usize)>,
    /// where those that changed are to lie
    places: Vec<Range<usize>>,
    /// their bytes, one behind the other
    bytes: Vec<u8>,
}

impl Moves {
    fn clear(&mut self) {
        self.runs.clear();
        self.places.clear();
        self.bytes.clear();
    }

    fn add(&mut self, page: &[u8], run: Range<usize>, to: usize, has_changed: bool) {
        if has_changed {
            self.places.push(to..to + run.len());
            self.bytes.extend_from_slice(&page[run]);
        } else {
            self.runs.push((run, to));
        }
    }

    /// What goes up makes room for what lies below it, and what goes down for what lies above.
    fn make(&self, page: &mut [u8]) {
        for (run, to) in self.runs.iter().filter(|(run, to)| *to > run.start) {
            page.copy_within(run.clone(), *to);
        }
        for (run, to) in self.runs.iter().rev().filter(|(run, to)| *to < run.start) {
            page.copy_within(run.clone(), *to);
        }
        let mut bytes = &self.bytes[..];
        for place in &self.places {
            let (tuple, rest) = bytes.split_at(place.len());
            page[place.clone()].copy_from_slice(tuple);
            bytes = rest;
        }
    }
}

impl Compaction {
    /// These line pointers, for one page.
    #[must_use]
    pub fn of(lps: Vec<ItemIdData>) -> Self {
        Self { lps, ..Self::default() }
    }
}

/// How the tuples of a page lie.
struct Tuples {
    /// so many line pointers at the beginning have their tuples in their places
    in_place: usize,
    /// where the last of these tuples begins
    upper: usize,
    /// does each lie below the one before it? Then each can be moved without a look at the others
    is_sorted: bool,
}

/// Where the tuple of a line pointer lies, its length rounded up.
#[inline]
fn tuple_of(lp: ItemIdData) -> Range<usize> {
    let start = usize::from(lp.lp_off());
    start..start + ((usize::from(lp.lp_len()) + MAXALIGN - 1) & !(MAXALIGN - 1))
}

/// Puts the tuples one below the other from `upper` down, and leads their line pointers there: the new `pd_upper`. They
/// come to lie in `moved`, if that is as long as the page, else on the page. Tuples that lie one below the other
/// already are moved together.
fn pack<'a>(
    bytes: &mut [u8],
    mut upper: usize,
    special: usize,
    moved: &mut [u8],
    tuples: impl Iterator<Item = &'a mut ItemIdData>,
) -> usize {
    let mut copy = |run: Range<usize>, to: usize| match moved.get_mut(to..to + run.len()) {
        Some(place) => place.copy_from_slice(&bytes[run]),
        None => bytes.copy_within(run, to),
    };
    // the run of tuples that are moved together
    let mut run = upper..upper;
    for lp in tuples {
        let tuple = tuple_of(*lp);
        let end = tuple.end.min(special);
        if end != run.start {
            copy(run.clone(), upper);
            run.end = end;
        }
        run.start = tuple.start;
        upper -= tuple.len();
        *lp = lp.moved(upper as u16);
    }
    copy(run, upper);
    upper
}

/// Line pointers as they are stored.
fn words(bytes: &mut [u8], places: Range<usize>) -> &mut [[u8; ItemIdData::SIZE]] {
    let (words, _) = bytes.get_mut(PageHeaderData::SIZE..).unwrap_or(&mut []).as_chunks_mut();
    words.get_mut(places).unwrap_or(&mut [])
}

/// Where the tuples of line pointers lie, one below the other.
fn run_of(words: &[[u8; ItemIdData::SIZE]]) -> Option<Range<usize>> {
    let is_stored = |lp: &ItemIdData| lp.is_stored();
    let mut lps = words.iter().map(|word| ItemIdData::from(*word));
    let first = lps.find(is_stored)?;
    let last = lps.rfind(is_stored).unwrap_or(first);
    Some(tuple_of(last).start..tuple_of(first).end)
}

/// Leads line pointers to their tuples, the lowest of which was moved from one place to another and the others with it.
fn shift(words: &mut [[u8; ItemIdData::SIZE]], from: usize, to: usize) {
    let by = (to as u32).wrapping_sub(from as u32);
    for word in words {
        let lp = ItemIdData::from(*word);
        // `lp_off` are the lowest bits, and neither place is beyond what they can tell
        let shifted = if lp.is_stored() { lp.0.wrapping_add(by) } else { lp.0 };
        *word = shifted.to_le_bytes();
    }
}
