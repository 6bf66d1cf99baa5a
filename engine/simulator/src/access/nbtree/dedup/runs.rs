//! Runs of equal keys on a leaf: versions of one row, for a bottom-up deletion; posting lists to be, for deduplication
//! (nbtdedup.c).
//!
//! ```text
//!  │ 5 │ 7 │ 7 │ 7 │ 9 │ 9 │ 12 │
//!        └─── run ───┘ └ run ┘
//! ```
//!
//! A leaf without room is read once: what finds runs for bottom-up deletion serves deduplication too where nothing was
//! deleted.

use crate::access::nbtree::Index;
use crate::access::nbtree::search::key::SameKeys;
use crate::access::nbtree::tuple::Items;
use alloc::vec::Vec;
use core::ops::Range;

/// Numbers of items with equal keys, run by run: each of two items or more.
pub(super) type Runs = Vec<Range<u16>>;

impl Index<'_> {
    /// The runs of a leaf whose first item that is no high key has that number. Each item is read once, compared with
    /// the one before it, and told with whether it is one of a run.
    pub(super) fn runs_of_equal_keys<'a>(
        &self,
        items: Items<'a>,
        first: u16,
        mut tell: impl FnMut(&'a [u8], bool),
    ) -> Runs {
        let keys = SameKeys::of(self);
        let (mut runs, mut start, mut is_same) = (Runs::new(), first, false);
        let mut behind = items.from(first);
        let Some(mut item) = behind.next() else { return runs };
        let mut own = keys.number(item);
        for n in first + 1.. {
            let next = behind.next();
            let next_number = next.and_then(|next| keys.number(next));
            let is_next_same = next.is_some_and(|next| keys.same_by(item, next, own.zip(next_number)));
            tell(item, is_same || is_next_same);
            if !is_next_same {
                end_run(&mut runs, start..n);
                start = n;
            }
            let Some(next) = next else { break };
            (item, own, is_same) = (next, next_number, is_next_same);
        }
        runs
    }
}

#[inline]
fn end_run(runs: &mut Runs, run: Range<u16>) {
    if run.len() > 1 {
        runs.push(run);
    }
}
