//! Runs of equal keys on a leaf: versions of one row, for a bottom-up deletion; posting lists to be, for deduplication (nbtdedup.c).
//!
//! ```text
//!  │ 5 │ 7 │ 7 │ 7 │ 9 │ 9 │ 12 │
//!        └─── run ───┘ └ run ┘
//! ```

use super::Index;
use super::number::NumberColumn;
use super::tuple::Items;
use alloc::vec::Vec;
use core::ops::Range;

/// Numbers of items with equal keys, run by run: each of two items or more.
pub(super) type Runs = Vec<Range<u16>>;

impl Index<'_> {
    /// The runs of a leaf whose first item that is no high key has that number. Each item is read once, compared with the one before it, and told with
    /// whether it is one of a run.
    pub(super) fn runs_of_equal_keys<'a>(
        &self,
        items: Items<'a>,
        first: u16,
        mut tell: impl FnMut(&'a [u8], bool),
    ) -> Runs {
        let (column, n_keys) = (NumberColumn::first_of(self.rel), self.n_keys());
        let number = |item| column.and_then(|column| column.of(item));
        let (mut runs, mut start) = (Runs::new(), first);
        let mut last = items.get(first);
        let mut last_number = number(last);
        for n in first + 1..=items.count() {
            let item = items.get(n);
            let own_number = number(item);
            // of numbers the first column often says it
            let is_same = match last_number.zip(own_number) {
                Some((a, b)) if a != b || n_keys == 1 => a == b,
                _ => self.keep_natts_fast(last, item) > n_keys,
            };
            tell(last, is_same || start + 1 < n);
            if !is_same {
                end_run(&mut runs, start..n);
                start = n;
            }
            (last, last_number) = (item, own_number);
        }
        if first <= items.count() {
            tell(last, start < items.count());
            end_run(&mut runs, start..items.count() + 1);
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
