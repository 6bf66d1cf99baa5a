//! Looking ahead: where the next entries go is found out a step at a time, while those before them are inserted.
//!
//! ```text
//!  one by one   root, page, leaf …, insert │ root, page, leaf …, insert │ …         each waits for its own lines of memory
//!  ahead        insert, steps │ insert, steps │ insert, steps │ …                   what a step reads was asked for an insertion before
//! ```
//!
//! PostgreSQL descends when a row's turn has come. Nothing is decided here before it has: what is found is where the
//! insertion looks first. It is found by numbers alone, so that keys are looked ahead for whose first column has one.
//! The leaf may be one that is known; where it turns out to be another, the way begins again at the root.
//!
//! A million keys took 690 ns a row without, 430 ns with it; ten million 1,900 and 590 ns. On a leaf, items are read
//! one by one, each where the key seems to be by the number of the one before, a little further each time: six items
//! around each of several guesses were some twenty lines of memory. A line pointer that came with one that was read is
//! not asked for. A split of one leaf leaves the other ways as they are.

use super::begin::Begin;
use super::leaves::Leaves;
use super::number::{Leading, Search};
use crate::access::nbtree::Index;
use crate::access::nbtree::meta::METAPAGE;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::Items;
use alloc::collections::VecDeque;
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::nbtree::BTPageOpaqueData;
use ffviz_format::page::{BlockNumber, Page};

/// The ways of the next entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Ahead {
    /// `None`: its first column has no number
    ways: VecDeque<Option<Way>>,
    /// has the entry come that the first one is of?
    has_come: bool,
    /// so many of the first ones have ended
    ended: usize,
}

/// How far the search for an entry's place has come.
#[derive(Debug, Clone)]
struct Way {
    next: Step,
    /// the leaf, or the metapage where none was found
    leaf: BlockNumber,
    /// is that a leaf that was known, and not found from the root?
    is_known: bool,
    /// its place there
    search: Search,
}

/// What is done next. Each step reads only what the one before has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// take the leaf that is known, or go down to it, and ask for what is known of it
    Leaf,
    /// go down to it in any case
    Descend,
    /// ask for both ends of the leaf
    Page,
    /// ask for its first item and its greatest, and for where a new one goes
    Ends,
    /// decide which item is looked at first, and ask for its line pointer
    Begin,
    /// ask for the item
    Aim,
    /// look at it, and ask for the next one
    Look,
    /// nothing: the place is known
    Done,
}

impl Ahead {
    /// The next entry has come. Gives whether one of those that were added is still to come.
    #[inline]
    pub fn advance(&mut self) -> bool {
        if self.has_come {
            self.ways.pop_front();
            self.ended = self.ended.saturating_sub(1);
        }
        self.has_come = !self.ways.is_empty();
        self.ways.len() > 1
    }

    /// How many entries were added that have not come.
    pub fn len(&self) -> usize {
        self.ways.len() - usize::from(self.has_come)
    }

    /// The tree is another now, or other entries come.
    pub fn clear(&mut self) {
        *self = Self { ways: core::mem::take(&mut self.ways), ..Self::default() };
        self.ways.clear();
    }

    /// The way of the entry that has come.
    fn come(&mut self) -> Option<&mut Way> {
        self.ways.front_mut().filter(|_| self.has_come)?.as_mut()
    }

    /// Another entry, behind those that were added before, by its first column.
    pub fn add(&mut self, number: Option<Leading>) {
        self.ways.push_back(number.map(Way::new));
    }
}

impl Way {
    const fn new(number: Leading) -> Self {
        Self { next: Step::Leaf, leaf: METAPAGE, is_known: false, search: Search::new(number) }
    }

    /// A step on the leaf.
    #[inline]
    fn step(&mut self, page: &Page) {
        self.next = match self.next {
            Step::Page => {
                page.ask_for(0);
                page.ask_for(page.size().saturating_sub(BTPageOpaqueData::SIZE as u16));
                Step::Ends
            }
            Step::Ends => {
                let (first, greatest) = numbered(page);
                let items = Items::of(page);
                let places = [items.item_id(first).lp_off(), items.item_id(greatest).lp_off()];
                let header = page.header();
                places.into_iter().chain([header.pd_lower(), header.pd_upper()]).for_each(|at| page.ask_for(at));
                Step::Begin
            }
            Step::Begin => {
                let (first, greatest) = numbered(page);
                let is_between = self.search.begin(Items::of(page), first, greatest);
                if is_between || !self.is_known { self.aim(page, first) } else { Step::Descend }
            }
            Step::Aim => self.ask_for_item(page),
            Step::Look => {
                let last = self.search.probe();
                self.search.look(Items::of(page));
                self.aim(page, last)
            }
            step @ (Step::Leaf | Step::Descend | Step::Done) => step,
        };
    }

    /// Asks for the item that is looked at next; for its line pointer first, unless that is at hand since `known` was
    /// read.
    fn aim(&self, page: &Page, known: u16) -> Step {
        if self.search.is_done() {
            return Step::Done;
        }
        let [known, next] = [known, self.search.probe()].map(|n| crate::access::nbtree::offset(n).bytes().start);
        if page.is_at_hand(next, known) {
            return self.ask_for_item(page);
        }
        page.ask_for(next);
        Step::Aim
    }

    fn ask_for_item(&self, page: &Page) -> Step {
        page.ask_for(Items::of(page).item_id(self.search.probe()).lp_off());
        Step::Look
    }
}

impl Index<'_> {
    /// A step on each way that has not ended.
    pub(super) fn go_ahead(&mut self, Begin { ahead, leaves, .. }: &mut Begin) {
        let mut ended = ahead.ended;
        for (n, way) in (ahead.ended..).zip(ahead.ways.range_mut(ahead.ended..)) {
            if let Some(way) = way.as_mut().filter(|way| way.next != Step::Done) {
                self.step(way, leaves);
            } else if n == ended {
                ended += 1;
            }
        }
        ahead.ended = ended;
    }

    /// The leaf of the entry that has come, and the number of the item there that it goes behind.
    pub(super) fn place_ahead(&mut self, Begin { ahead, leaves, .. }: &mut Begin) -> Option<(BlockNumber, u16)> {
        let way = ahead.come()?;
        while way.next != Step::Done {
            self.step(way, leaves);
        }
        (way.leaf != METAPAGE).then(|| (way.leaf, way.search.before()))
    }

    #[inline]
    fn step(&mut self, way: &mut Way, leaves: &mut Leaves) {
        if !matches!(way.next, Step::Leaf | Step::Descend) {
            return way.step(self.page(way.leaf));
        }
        let number = way.search.number.number();
        match leaves.get(number).filter(|_| way.next == Step::Leaf) {
            Some(leaf) => (way.leaf, way.is_known) = (leaf, true),
            None => {
                way.is_known = false;
                way.leaf = self.descend(way.search.number).unwrap_or(METAPAGE);
                leaves.learn(number, way.leaf, self.pages());
            }
        }
        way.next = if way.leaf == METAPAGE { Step::Done } else { Step::Page };
        self.pg.buffers.ask_for(self.buffer(way.leaf));
    }

    /// Goes down to the leaf at once: pages above the leaves are few, and at hand.
    #[inline(never)]
    fn descend(&mut self, number: Leading) -> Option<BlockNumber> {
        let mut block = self.get_root(false)?;
        for _ in 0..self.opaque(block).btpo_level {
            let page = self.page(block);
            let (items, (first, greatest)) = (Items::of(page), numbered(page));
            let (low, _) = number.interpolate(items, first, items.count() + 1, greatest);
            block = tuple::downlink(items.get(low - 1));
        }
        Some(block)
    }
}

/// Of the items of a page the first one that has a number, and the one that has the greatest: the high key, where there
/// is one.
fn numbered(page: &Page) -> (u16, u16) {
    let opaque = Opaque::at_end(page);
    // the first downlink has no number
    let first = opaque.first_data_key() + u16::from(!opaque.is_leaf());
    (first, if opaque.is_rightmost() { Items::of(page).count() } else { 1 })
}
