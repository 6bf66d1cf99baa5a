//! Places to split on a leaf whose items have one size, as in an index of a number: they are computed, and only the
//! best few are listed.
//!
//! ```text
//!  so many items on the left   0 ─── least ─── … nearest to the wanted fill … ─── most ─── all
//! ```

use super::{Finder, HEAP_TID, LINE_POINTER, SPACE, SplitPoint, difference};
use alloc::vec::Vec;
use ffviz_format::page::{ItemIdData, maxalign};

/// A leaf of items of one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EvenPage {
    /// of an item with its line pointer
    pub size: i32,
    first: u16,
    newitemoff: u16,
    /// so many items may be on the left, the new one among them
    least: i32,
    most: i32,
    /// bytes that would be free with none on the left
    leftfree: i32,
    rightfree: i32,
}

impl EvenPage {
    /// `None` where the items differ, or may be posting lists.
    pub fn of(finder: &Finder<'_>) -> Option<Self> {
        let (page, size, first) = (finder.page, finder.newitemsz, finder.opaque.first_data_key());
        let items = page.line_pointer_words().get(usize::from(first) - 1..)?;
        let word = ItemIdData::from(*items.first()?);
        // all are looked at: the compiler makes few instructions of that
        let others = items.iter().fold(0, |bits, item| bits | (ItemIdData::from(*item).0 ^ word.0));
        let (n_items, is_even) = (items.len() as i32, ItemIdData(others).lp_len() == 0);
        let is_even = is_even
            && finder.opaque.is_leaf()
            && i32::from(maxalign(word.lp_len())) + LINE_POINTER == size
            && size <= 64
            && n_items * size == finder.olddataitemstotal;
        let (leftfree, rightfree) = (SPACE - HEAP_TID - size, finder.rightspace - (n_items + 1) * size);
        let (least, most) = ((-rightfree).max(0).unsigned_abs().div_ceil(size.unsigned_abs()), leftfree / size);
        let even = Self {
            size,
            first,
            newitemoff: finder.newitemoff,
            least: least as i32,
            most: most.min(n_items),
            leftfree,
            rightfree,
        };
        is_even.then_some(even)
    }

    /// The place with so many items on the left, as `_bt_recsplitloc` would record it.
    fn at(&self, left: i32) -> SplitPoint {
        let newitemonleft = left > i32::from(self.newitemoff - self.first);
        let (leftfree, rightfree) = (self.leftfree - left * self.size, self.rightfree + left * self.size);
        SplitPoint {
            delta: 0,
            leftfree: leftfree as i16,
            rightfree: rightfree as i16,
            firstrightoff: self.first + left as u16 - u16::from(newitemonleft),
            newitemonleft,
        }
    }

    /// The place right behind the new item, where it is one.
    pub fn behind_new_item(&self) -> Option<SplitPoint> {
        let left = i32::from(self.newitemoff - self.first) + 1;
        (self.least..=self.most).contains(&left).then(|| self.at(left))
    }

    /// The first and the last place.
    pub fn ends(&self) -> Option<(SplitPoint, SplitPoint)> {
        (self.least <= self.most).then(|| (self.at(self.least), self.at(self.most)))
    }

    /// The places nearest first, up to one that leaves another space than the nearest. `None` where two of them are as
    /// far: then the sort decides.
    pub fn nearest(&self, fill: Option<f64>, tolerance: i16) -> Option<Vec<SplitPoint>> {
        let weighed = |left: i32| {
            let mut split = self.at(left);
            split.weigh(fill);
            split
        };
        let (mut before, mut behind) = self.turn(fill);
        let mut sorted: Vec<SplitPoint> = Vec::new();
        loop {
            let near = (before >= self.least).then(|| weighed(before));
            let far = (behind <= self.most).then(|| weighed(behind));
            let nearest = match (near, far) {
                (Some(near), far) if far.is_none_or(|far| near.delta < far.delta) => {
                    before -= 1;
                    near
                }
                (_, Some(far)) => {
                    behind += 1;
                    far
                }
                _ => return Some(sorted),
            };
            if sorted.last().is_some_and(|last| last.delta >= nearest.delta) {
                return None;
            }
            sorted.push(nearest);
            if nearest.is_far(sorted[0], tolerance) {
                return Some(sorted);
            }
        }
    }

    /// Numbers of items on the left between which too much free space there becomes too little.
    fn turn(&self, fill: Option<f64>) -> (i32, i32) {
        let (mut low, mut high) = (self.least, self.most + 1);
        while low < high {
            let mid = low + (high - low) / 2;
            let split = self.at(mid);
            if difference(fill, split.leftfree, split.rightfree) > 0 {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        (low - 1, low)
    }
}
