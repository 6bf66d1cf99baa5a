//! Looking ahead: where the next entries go is found out together, so that the processor fetches their leaves from memory at the same time.
//!
//! ```text
//!  one by one   root, page, leaf, insert │ root, page, leaf, insert │ …            each waits for its own pages
//!  together     root, page, root, page … │ leaf, leaf … │ insert, insert …         the leaves are waited for together
//! ```
//!
//! PostgreSQL descends when a row's turn has come. Nothing is decided here before it has: what is found is where the insertion looks first. It is found by
//! numbers alone, so that keys are looked ahead for whose first column is one.

use super::Index;
use super::number::{Leading, Search};
use super::search::Stack;
use super::tuple::{self, Items};
use crate::nbtree::Opaque;
use crate::page::{BlockNumber, Page};
use alloc::vec::Vec;
use core::hint::black_box;

/// The ways of the next entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Ahead {
    ways: Vec<Way>,
    /// the pages above the leaves with the items that lead on: of each level those of all ways
    steps: Stack,
    /// how many have come
    done: usize,
}

/// How far an entry has come.
#[derive(Debug, Clone)]
struct Way {
    /// the page
    block: BlockNumber,
    /// its place there, once that is a leaf
    search: Search,
}

impl Ahead {
    /// The next entry has come.
    #[inline]
    pub const fn advance(&mut self) {
        self.done += 1;
    }

    /// The leaf of the entry that has come, and the number of the item there that it goes behind; the way to it goes into `stack`.
    #[inline]
    pub fn place(&self, stack: &mut Stack) -> Option<(BlockNumber, u16)> {
        if self.ways.is_empty() { None } else { self.known_place(stack) }
    }

    #[inline(never)]
    fn known_place(&self, stack: &mut Stack) -> Option<(BlockNumber, u16)> {
        let n = self.done.checked_sub(1)?;
        let way = self.ways.get(n)?;
        stack.clear();
        stack.extend(self.steps.iter().skip(n).step_by(self.ways.len()));
        Some((way.block, way.search.before()))
    }

    /// The tree is another now, or other entries come.
    pub fn clear(&mut self) {
        self.ways.clear();
        self.steps.clear();
        self.done = 0;
    }

    /// Another entry, behind those that were added before.
    pub fn add(&mut self, number: Leading) {
        self.ways.push(Way { block: 0, search: Search::new(number) });
    }
}

impl Index<'_> {
    /// Goes down to the leaves.
    pub(super) fn go_ahead(&mut self, ahead: &mut Ahead) {
        let Some(root) = self.get_root(false) else { return ahead.clear() };
        ahead.ways.iter_mut().for_each(|way| way.block = root);
        for _ in 0..self.opaque(root).btpo_level {
            for way in &mut ahead.ways {
                let page = self.page(way.block);
                let (items, (first, end)) = (Items::of(page), numbered(page));
                // pages above the leaves are few, and at hand
                let (low, _) = way.search.number.interpolate(items, (first, items.count() + 1), end);
                ahead.steps.push((way.block, low - 1));
                way.block = tuple::downlink(items.get(low - 1));
            }
        }
        self.look(&mut ahead.ways);
    }

    /// Finds each place on its leaf: one thing is read of every page before the next is of any.
    fn look(&self, ways: &mut [Way]) {
        // a page has some 400 items at most: eight halves and a half, and the steps before
        const PROBES: u32 = 12;
        black_box(ways.iter().map(|way| ends(self.page(way.block))).fold(0, xor));
        for way in &mut *ways {
            let page = self.page(way.block);
            way.search.begin(Items::of(page), numbered(page));
        }
        for _ in 0..PROBES {
            if ways.iter().all(|way| way.search.is_done()) {
                break;
            }
            black_box(ways.iter().map(|way| way.search.aim(Items::of(self.page(way.block)))).fold(0, xor));
            ways.iter_mut().for_each(|way| way.search.look(Items::of(self.page(way.block))));
        }
    }
}

/// Of the items of a page the first one that has a number, and the one that has the greatest: the high key, where there is one.
fn numbered(page: &Page) -> (u16, u16) {
    let opaque = Opaque::at_end(page);
    // the first downlink has no number
    let first = opaque.first_data_key() + u16::from(!opaque.is_leaf());
    (first, if opaque.is_rightmost() { Items::of(page).count() } else { 1 })
}

const fn xor(a: u32, b: u32) -> u32 {
    a ^ b
}

/// Something of both ends of a page, and of where a new item and its line pointer go.
fn ends(page: &Page) -> u32 {
    let header = page.header();
    let byte = |at: u16| page.bytes().get(usize::from(at)).map_or(0, |byte| u32::from(*byte));
    byte(header.pd_lower()) ^ byte(header.pd_upper()) ^ u32::from(Opaque::at_end(page).btpo_flags)
}
