//! Looking ahead: where the next entries go is found out a step at a time, while those before them are inserted.
//!
//! ```text
//!  one by one   root, page, leaf …, insert │ root, page, leaf …, insert │ …         each waits for its own lines of memory
//!  ahead        insert, steps │ insert, steps │ insert, steps │ …                   what a step reads was asked for an insertion before
//! ```
//!
//! PostgreSQL descends when a row's turn has come. Nothing is decided here before it has: what is found is where the insertion looks first. It is found by
//! numbers alone, so that keys are looked ahead for whose first column has one.

use super::Index;
use super::meta::METAPAGE;
use super::number::{Leading, Search};
use super::search::Stack;
use super::tuple::{self, Items};
use crate::nbtree::Opaque;
use crate::page::nbtree::BTPageOpaqueData;
use crate::page::{BlockNumber, Page};
use alloc::collections::VecDeque;

/// More levels above the leaves than an index has: a page above has more than a hundred items.
const MOST_LEVELS: usize = 6;

/// The ways of the next entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Ahead {
    /// `None`: its first column has no number
    ways: VecDeque<Option<Way>>,
    /// that of the entry that has come
    come: Option<Way>,
}

/// How far the search for an entry's place has come.
#[derive(Debug, Clone)]
struct Way {
    next: Step,
    /// the pages above the leaf with the items that lead on
    above: [(BlockNumber, u16); MOST_LEVELS],
    levels: usize,
    /// the leaf, or the metapage where none was found
    leaf: BlockNumber,
    /// its place there
    search: Search,
}

/// What is done next. Each step reads only what the one before has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// go down to the leaf, and ask for what is known of it
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
    /// The next entry has come.
    #[inline]
    pub fn advance(&mut self) {
        self.come = self.ways.pop_front().flatten();
    }

    /// How many entries were added that have not come.
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// The tree is another now, or other entries come.
    pub fn clear(&mut self) {
        self.ways.clear();
        self.come = None;
    }

    /// Another entry, behind those that were added before, by its first column.
    pub fn add(&mut self, number: Option<Leading>) {
        self.ways.push_back(number.map(Way::new));
    }
}

impl Way {
    const fn new(number: Leading) -> Self {
        let above = [(METAPAGE, 0); MOST_LEVELS];
        Self { next: Step::Descend, above, levels: 0, leaf: METAPAGE, search: Search::new(number) }
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
                self.search.begin(Items::of(page), numbered(page));
                self.aim(page)
            }
            Step::Aim => {
                page.ask_for(Items::of(page).item_id(self.search.probe()).lp_off());
                Step::Look
            }
            Step::Look => {
                self.search.look(Items::of(page));
                self.aim(page)
            }
            step @ (Step::Descend | Step::Done) => step,
        };
    }

    /// Asks for the line pointer of the item that is looked at next.
    fn aim(&self, page: &Page) -> Step {
        if self.search.is_done() {
            return Step::Done;
        }
        page.ask_for(super::offset(self.search.probe()).bytes().start);
        Step::Aim
    }
}

impl Index<'_> {
    /// A step on each way.
    pub(super) fn go_ahead(&mut self, ahead: &mut Ahead) {
        for way in ahead.ways.iter_mut().flatten() {
            if way.next != Step::Done {
                self.step(way);
            }
        }
    }

    /// The leaf of the entry that has come, and the number of the item there that it goes behind; the way to it goes into `stack`.
    pub(super) fn place_ahead(&mut self, ahead: &mut Ahead, stack: &mut Stack) -> Option<(BlockNumber, u16)> {
        let way = ahead.come.as_mut()?;
        while way.next != Step::Done {
            self.step(way);
        }
        stack.clear();
        stack.extend(way.above.iter().take(way.levels));
        (way.leaf != METAPAGE).then(|| (way.leaf, way.search.before()))
    }

    #[inline]
    fn step(&mut self, way: &mut Way) {
        if way.next == Step::Descend {
            self.descend(way);
        } else {
            way.step(self.page(way.leaf));
        }
    }

    /// Goes down to the leaf at once: pages above the leaves are few, and at hand.
    #[inline(never)]
    fn descend(&mut self, way: &mut Way) {
        way.next = Step::Done;
        let Some(mut block) = self.get_root(false) else { return };
        for level in 0..self.opaque(block).btpo_level as usize {
            let page = self.page(block);
            let (items, (first, greatest)) = (Items::of(page), numbered(page));
            let (low, _) = way.search.number.interpolate(items, (first, items.count() + 1), greatest);
            let Some(above) = way.above.get_mut(level) else { return };
            *above = (block, low - 1);
            block = tuple::downlink(items.get(low - 1));
            way.levels = level + 1;
        }
        way.leaf = block;
        way.next = Step::Page;
        self.pg.buffers.ask_for(self.buffer(block));
    }
}

/// Of the items of a page the first one that has a number, and the one that has the greatest: the high key, where there is one.
fn numbered(page: &Page) -> (u16, u16) {
    let opaque = Opaque::at_end(page);
    // the first downlink has no number
    let first = opaque.first_data_key() + u16::from(!opaque.is_leaf());
    (first, if opaque.is_rightmost() { Items::of(page).count() } else { 1 })
}
