//! The block references of a record. Most records have one or two: these need no memory of their own, and a record is
//! taken apart faster.

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
    /// None yet; a constant, which is copied once to where it is wanted.
    pub const NONE: Self = Self { few: [NONE; FEW], count: 0, many: Vec::new() };

    /// One more, to be filled.
    #[inline]
    pub(super) fn add(&mut self) -> &mut BlockRef<'a> {
        let at = self.count;
        self.count += 1;
        if at < FEW {
            return &mut self.few[at];
        }
        if self.many.is_empty() {
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(NONE);
        &mut self.many[at]
    }
}

impl Default for Blocks<'_> {
    fn default() -> Self {
        Self::NONE
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
        let mut blocks = Blocks::NONE;
        for id in 0..5 {
            assert_eq!(blocks.len(), usize::from(id));
            blocks.add().id = id;
            assert!(blocks.iter().map(|block| block.id).eq(0..=id));
        }
    }
}
