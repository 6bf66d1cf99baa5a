//! What pruning remembers of a page, in arrays as PostgreSQL has them in `PruneState`: a page is pruned often, and then
//! little is to be remembered.

use crate::storage::BLCKSZ;
use alloc::vec::Vec;
use core::array;
use core::ops::{Deref, DerefMut};
use ffviz_format::heap::max_heap_tuples_per_page;
use ffviz_format::page::OffsetNumber;

/// A list that asks for memory only where it gets longer than `N`.
#[derive(Debug, Clone)]
pub struct Few<T, const N: usize> {
    few: [T; N],
    /// how many of `few` there are, as long as `many` is empty
    len: usize,
    many: Vec<T>,
}

impl<T: Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self { few: array::from_fn(|_| T::default()), len: 0, many: Vec::new() }
    }
}

impl<T: Clone, const N: usize> Few<T, N> {
    /// One more at the end.
    #[inline]
    pub fn push(&mut self, member: T) {
        match self.few.get_mut(self.len) {
            Some(place) => {
                *place = member;
                self.len += 1;
            }
            None => {
                if self.many.is_empty() {
                    self.many.extend_from_slice(&self.few);
                }
                self.many.push(member);
            }
        }
    }

    /// None is left.
    pub fn clear(&mut self) {
        self.len = 0;
        self.many.clear();
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        if self.many.is_empty() { &self.few[..self.len] } else { &self.many }
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        if self.many.is_empty() { &mut self.few[..self.len] } else { &mut self.many }
    }
}

impl<T: Clone + Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        let mut list = Self::default();
        members.into_iter().for_each(|member| list.push(member));
        list
    }
}

/// As many bits as line pointers may be on a page, from number 0.
const WORDS: usize = (max_heap_tuples_per_page(BLCKSZ) as usize + 1).div_ceil(64);

/// A set of line pointers of one page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OffsetSet([u64; WORDS]);

impl OffsetSet {
    #[inline]
    pub fn insert(&mut self, n: OffsetNumber) {
        if let Some(word) = self.0.get_mut(usize::from(n.0 / 64)) {
            *word |= 1 << (n.0 % 64);
        }
    }

    #[inline]
    pub fn contains(&self, n: OffsetNumber) -> bool {
        self.0.get(usize::from(n.0 / 64)).is_some_and(|word| word >> (n.0 % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_what_was_pushed() {
        for len in 0..10_u8 {
            let mut list: Few<u8, 4> = (0..len).collect();
            assert!(list.iter().copied().eq(0..len));
            list.clear();
            list.push(7);
            assert_eq!(list[..], [7]);
        }
    }

    #[test]
    fn a_set_has_all_numbers_that_a_page_may_have() {
        let (mut set, all) = (OffsetSet::default(), 1..=max_heap_tuples_per_page(BLCKSZ));
        all.clone().step_by(3).for_each(|n| set.insert(OffsetNumber(n)));
        assert!(all.clone().all(|n| set.contains(OffsetNumber(n)) == (n % 3 == 1)));
        assert!(!set.contains(OffsetNumber(u16::MAX)));
    }
}
