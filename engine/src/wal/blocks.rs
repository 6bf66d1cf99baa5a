//! The block references of a record. Most records have one or two: these need no memory of their own, and a record is taken apart faster.

use super::{BlockRef, BlockTag, RelFileLocator};
use crate::page::ForkNumber;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// So many stand in place.
const FEW: usize = 2;

/// Block references in ascending order of their ids.
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    few: [BlockRef<'a>; FEW],
    /// of `few`
    count: usize,
    /// all of them, where they are more than a few
    many: Vec<BlockRef<'a>>,
}

const NONE: BlockRef<'static> = BlockRef {
    id: 0,
    tag: BlockTag { locator: RelFileLocator { spc: 0, db: 0, rel: 0 }, fork: ForkNumber::Main, block: 0 },
    will_init: false,
    same_rel: false,
    image: None,
    data: &[],
    has_data: false,
    header: 0..0,
    image_at: 0..0,
    data_at: 0..0,
};

impl<'a> Blocks<'a> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { few: [NONE; FEW], count: 0, many: Vec::new() }
    }

    /// One more.
    pub fn push(&mut self, block: BlockRef<'a>) {
        match self.few.get_mut(self.count) {
            Some(place) => {
                *place = block;
                self.count += 1;
            }
            None => {
                if self.many.is_empty() {
                    self.many.extend_from_slice(&self.few);
                }
                self.many.push(block);
            }
        }
    }
}

impl Default for Blocks<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Deref for Blocks<'a> {
    type Target = [BlockRef<'a>];
    #[inline]
    fn deref(&self) -> &[BlockRef<'a>] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }
}

impl<'a> DerefMut for Blocks<'a> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [BlockRef<'a>] {
        if self.many.is_empty() { &mut self.few[..self.count] } else { &mut self.many }
    }
}

impl PartialEq for Blocks<'_> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Blocks<'_> {}

impl<'b, 'a> IntoIterator for &'b Blocks<'a> {
    type Item = &'b BlockRef<'a>;
    type IntoIter = core::slice::Iter<'b, BlockRef<'a>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'b, 'a> IntoIterator for &'b mut Blocks<'a> {
    type Item = &'b mut BlockRef<'a>;
    type IntoIter = core::slice::IterMut<'b, BlockRef<'a>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_in_order() {
        let mut blocks = Blocks::new();
        for id in 0..5 {
            assert_eq!(blocks.len(), usize::from(id));
            blocks.push(BlockRef { id, ..NONE });
            assert!(blocks.iter().map(|block| block.id).eq(0..=id));
        }
    }
}
