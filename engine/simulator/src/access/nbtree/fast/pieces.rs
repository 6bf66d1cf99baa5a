//! Short index tuples that wait for CREATE INDEX to sort and load them, in pieces of memory.
//!
//! ```text
//!  ├ piece, full ┤ ├ piece, full ┤ ├ piece ·····     loaded one by one; the memory of one becomes the leaves made of the next
//! ```
//!
//! A piece is given back for the leaves that are made of the next one: a page of memory that is used for the first time
//! costs 1.5 µs.

use crate::access::nbtree::tuple::Short;
use alloc::vec::Vec;
use core::mem::{replace, take};

/// How many tuples a piece has.
const PIECE: usize = 4096;

/// Tuples in the order in which they came, until they are sorted.
#[derive(Debug, Default)]
pub(in crate::access::nbtree) struct Pieces {
    full: Vec<Vec<Short>>,
    filling: Vec<Short>,
}

impl Pieces {
    #[inline]
    pub fn push(&mut self, tuple: Short) {
        if self.filling.len() == PIECE {
            self.full.push(replace(&mut self.filling, Vec::with_capacity(PIECE)));
        }
        self.filling.push(tuple);
    }

    /// How many tuples.
    pub fn len(&self) -> usize {
        self.full.len() * PIECE + self.filling.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Short> {
        self.full.iter().flatten().chain(&self.filling)
    }

    /// All of them in one piece, to be sorted. The other pieces are given back while it grows.
    pub fn as_one(&mut self) -> &mut [Short] {
        if !self.full.is_empty() {
            let mut all = Vec::with_capacity(self.len());
            take(&mut self.full).into_iter().for_each(|piece| all.extend(piece));
            all.append(&mut self.filling);
            self.filling = all;
        }
        &mut self.filling
    }

    /// Piece by piece.
    pub fn take(&mut self) -> impl Iterator<Item = Vec<Short>> + use<> {
        take(&mut self.full).into_iter().chain([take(&mut self.filling)])
    }
}
