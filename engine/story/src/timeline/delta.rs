//! A page's change in little space, taken either way: the bytes before XOR the bytes after, where they differ.
//!
//! ```text
//! before  … 05 00 00 00 41 …            run: start u16, length u16, bytes
//! after   … 07 00 00 00 41 …   ──▶      12 00  01 00  02          before ^ run = after, after ^ run = before
//! ```

use super::PageChange;
use super::diff::changed_bytes;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::page::Page;
use ffviz_format::page::layout::Wire;
use ffviz_format::state::PageId;

/// Which way a change is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// from before to after
    Forward,
    /// from after to before
    Back,
}

/// What a step did to one page.
#[derive(Debug, Clone)]
pub(super) struct Delta {
    pub id: PageId,
    /// only what is known of it changed: it was read for the first time, or is no longer known
    pub known: bool,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// runs as drawn above
    Bytes(Box<[u8]>),
    /// the page came, went, or got another size
    Whole { before: Option<Page>, after: Option<Page> },
}

/// Bytes of a run besides the differing ones; equal bytes between two runs are cheaper within one run than a second run
/// is.
const RUN_HEADER: u16 = 4;

impl Delta {
    /// The change of a page, `known` as in the field.
    pub fn new(change: &PageChange, known: bool) -> Self {
        let what = match (&change.before, &change.after) {
            (Some(before), Some(after)) if before.size() == after.size() => What::Bytes(xor_runs(before, after)),
            (before, after) => What::Whole { before: before.clone(), after: after.clone() },
        };
        Self { id: change.id, known, what }
    }

    /// The whole change again, from the page at the end where `way` begins.
    pub fn change(&self, here: Option<&Page>, way: Way) -> PageChange {
        let id = self.id;
        match &self.what {
            What::Whole { before, after } => PageChange { id, before: before.clone(), after: after.clone() },
            What::Bytes(runs) => {
                let there = here.map(|page| {
                    let mut page = page.clone();
                    xor(page.bytes_mut(), runs);
                    page
                });
                match way {
                    Way::Forward => PageChange { id, before: here.cloned(), after: there },
                    Way::Back => PageChange { id, before: there, after: here.cloned() },
                }
            }
        }
    }

    /// Takes the change forwards in place.
    pub fn apply(&self, pages: &mut BTreeMap<PageId, Page>) {
        match &self.what {
            What::Bytes(runs) => {
                if let Some(page) = pages.get_mut(&self.id) {
                    xor(page.bytes_mut(), runs);
                }
            }
            What::Whole { after, .. } => put(pages, self.id, after),
        }
    }

    /// Does it change any of these bytes of the page?
    pub fn touches(&self, bytes: &core::ops::Range<u16>) -> bool {
        let What::Bytes(runs) = &self.what else { return true };
        let mut runs = &runs[..];
        while let Some((header, rest)) = runs.split_at_checked(usize::from(RUN_HEADER)) {
            let start = u16::get(header);
            let (masks, rest) = rest.split_at(usize::from(u16::get(&header[2..])).min(rest.len()));
            if (start..).zip(masks).any(|(at, mask)| *mask != 0 && bytes.contains(&at)) {
                return true;
            }
            runs = rest;
        }
        false
    }

    /// Bytes of memory it takes, pages that it shares with states apart.
    pub fn weight(&self) -> usize {
        let runs = if let What::Bytes(runs) = &self.what { runs.len() } else { 0 };
        size_of::<Self>() + runs
    }
}

/// Puts a page or a relation where it belongs, or takes it away.
pub(super) fn put<K: Ord, V: Clone>(map: &mut BTreeMap<K, V>, key: K, value: &Option<V>) {
    match value {
        Some(value) => map.insert(key, value.clone()),
        None => map.remove(&key),
    };
}

fn xor_runs(before: &Page, after: &Page) -> Box<[u8]> {
    let mut merged: Vec<core::ops::Range<u16>> = Vec::new();
    for run in changed_bytes(before, after) {
        match merged.last_mut() {
            Some(last) if run.start - last.end <= RUN_HEADER => last.end = run.end,
            _ => merged.push(run),
        }
    }
    let mut runs = Vec::new();
    for run in merged {
        runs.extend(run.start.to_le_bytes());
        runs.extend((run.end - run.start).to_le_bytes());
        let bytes = usize::from(run.start)..usize::from(run.end);
        runs.extend(before.bytes()[bytes.clone()].iter().zip(&after.bytes()[bytes]).map(|(old, new)| old ^ new));
    }
    runs.into_boxed_slice()
}

fn xor(page: &mut [u8], mut runs: &[u8]) {
    while let Some((header, rest)) = runs.split_at_checked(usize::from(RUN_HEADER)) {
        let start = usize::from(u16::get(header));
        let (bytes, rest) = rest.split_at(usize::from(u16::get(&header[2..])).min(rest.len()));
        for (byte, mask) in page.iter_mut().skip(start).zip(bytes) {
            *byte ^= mask;
        }
        runs = rest;
    }
}
