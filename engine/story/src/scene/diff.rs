//! What a step did to one page, byte by byte: the ranges that differ, and from them the change of each part.

use super::Change;
use super::look::Look;
use crate::timeline::changed_bytes;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::Page;
use ffviz_format::state::PageId;

/// A page before and after a step.
#[derive(Debug, Clone)]
pub struct PageDiff<'a> {
    /// the bytes before, where they are known and differ
    pub before: Option<&'a Page>,
    /// was the page added by this step?
    pub added: bool,
    changed: Vec<Range<u16>>,
}

impl<'a> PageDiff<'a> {
    /// Compares a page with what it was before the step.
    #[must_use]
    pub fn new(look: &Look<'a>, id: PageId, after: &Page) -> Self {
        match look.change(id).map(|change| change.before.as_ref()) {
            None => Self { before: None, added: false, changed: Vec::new() },
            Some(None) => Self { before: None, added: true, changed: Vec::new() },
            Some(Some(before)) => Self { before: Some(before), added: false, changed: changed_bytes(before, after) },
        }
    }

    /// The changed bytes within a range.
    #[must_use]
    pub fn within(&self, bytes: &Range<u16>) -> Vec<Range<u16>> {
        let from = self.changed.partition_point(|run| run.end <= bytes.start);
        let later = self.changed.get(from..).unwrap_or(&[]).iter();
        later
            .take_while(|run| run.start < bytes.end)
            .map(|run| run.start.max(bytes.start)..run.end.min(bytes.end))
            .collect()
    }

    /// Does any byte of the range differ?
    #[must_use]
    pub fn touches(&self, bytes: &Range<u16>) -> bool {
        let from = self.changed.partition_point(|run| run.end <= bytes.start);
        self.changed.get(from).is_some_and(|run| run.start < bytes.end && bytes.start < bytes.end)
    }

    /// The change of a part that stays where it is.
    #[must_use]
    pub fn change(&self, bytes: &Range<u16>) -> Change {
        if self.added {
            Change::Added
        } else if self.touches(bytes) {
            Change::Modified
        } else {
            Change::Same
        }
    }

    /// The change of a tuple now at `now`, whose line pointer led to `then` before the step (`None`: to no tuple).
    #[must_use]
    pub fn moved(&self, then: Option<&Range<u16>>, now: &Range<u16>, after: &Page) -> Change {
        let Some(before) = self.before else { return self.change(now) };
        let Some(then) = then else { return Change::Added };
        let same = before.slice(then.clone()) == after.slice(now.clone());
        match (same, then.start == now.start) {
            (true, true) => Change::Same,
            (true, false) => Change::Moved,
            (false, _) => Change::Modified,
        }
    }
}
