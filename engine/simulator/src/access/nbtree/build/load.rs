//! The leaves of an index that is built (`_bt_load`, src/backend/access/nbtree/nbtsort.c).
//!
//! ```text
//!  sorted tuples ──▶ equal keys become one posting list ──▶ leaf after leaf, filled from its end
//! ```
//!
//! A leaf is filled in one go, a run of entries at a time. That, and not sorting what comes in order, made an index of
//! a million rows a fifth faster.

use super::Build;
use super::spool::Spool;
use crate::access::nbtree::Index;
use crate::access::nbtree::dedup::Group;
use crate::access::nbtree::search::key::SameKeys;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::{SHORT, Short};
use crate::storage::Outcome;
use core::iter::{self, Peekable};

/// What a posting list made by a build may have at most: a tenth of a page, less a line pointer.
const MAX_POSTING_SIZE: usize = 812;

/// The tuples of the leaves, one after the other.
struct LeafTuples<'a, I: Iterator<Item = &'a [u8]>> {
    /// the short ones, which come first
    short: &'a [Short],
    long: Peekable<I>,
    /// what tells that keys are the same; `None`: no posting lists are made
    merge: Option<SameKeys<'a>>,
    /// what the tuple at work is made of
    group: Group<'a>,
    /// is there a tuple at work, which no leaf has yet?
    is_pending: bool,
}

impl<'a, I: Iterator<Item = &'a [u8]>> LeafTuples<'a, I> {
    fn new(short: &'a [Short], long: I, merge: Option<SameKeys<'a>>) -> Self {
        Self { short, long: long.peekable(), merge, group: Group::default(), is_pending: false }
    }

    fn peek(&mut self) -> Option<&'a [u8]> {
        self.short.first().map(<[u8; SHORT]>::as_slice).or_else(|| self.long.peek().copied())
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        match self.short.split_off_first() {
            Some(short) => Some(short),
            None => self.long.next(),
        }
    }

    /// The next ones, `most` at most, as long as each is short and equals no other.
    fn take_singles(&mut self, most: usize) -> &'a [Short] {
        let singles = match self.merge {
            Some(keys) => {
                let pairs = self.short.iter().zip(self.short.iter().skip(1)).take(most);
                pairs.take_while(|(tuple, next)| !keys.same(*tuple, *next)).count()
            }
            None => self.short.len().min(most),
        };
        self.short.split_off(..singles).unwrap_or(&[])
    }

    /// Goes on to the next; `false`: there is none.
    fn advance(&mut self) -> bool {
        let Some(tuple) = self.next() else { return false };
        self.group.restart(tuple, 0);
        self.is_pending = true;
        let Some(keys) = self.merge else { return true };
        while let Some(next) = self.peek()
            && keys.same(tuple, next)
            && self.group.fits(next, MAX_POSTING_SIZE)
        {
            self.next();
            self.group.take(next);
        }
        true
    }
}

impl Build {
    /// `_bt_load`: the leaves, and above them what follows from them. `merge`: equal keys share posting lists.
    pub(super) fn load(&mut self, index: &Index<'_>, mut spool: Spool, merge: bool) -> Outcome<()> {
        if spool.is_empty() {
            return Ok(());
        }
        self.new_level(0);
        let merge = (merge && !spool.is_ascending()).then(|| SameKeys::of(index));
        // where there are several pieces, no two tuples are equal
        for piece in spool.take_short() {
            self.load_leaves(index, LeafTuples::new(&piece, iter::empty(), merge))?;
        }
        self.load_leaves(index, LeafTuples::new(&[], spool.long(), merge))
    }

    /// Leaf after leaf, until the tuples are all taken.
    fn load_leaves<'a>(
        &mut self,
        index: &Index<'_>,
        mut tuples: LeafTuples<'a, impl Iterator<Item = &'a [u8]>>,
    ) -> Outcome<()> {
        while self.fill_leaf(index, &mut tuples)? {
            self.next_page(index, 0);
        }
        Ok(())
    }

    /// Fills the leaf up; `true`: there is a tuple that it has no room for.
    fn fill_leaf<'a>(
        &mut self,
        index: &Index<'_>,
        tuples: &mut LeafTuples<'a, impl Iterator<Item = &'a [u8]>>,
    ) -> Outcome<bool> {
        let leaf = &mut self.levels[0];
        let mut page = leaf.page.appender();
        loop {
            if !tuples.is_pending {
                let singles = tuples.take_singles(leaf.filling.room_for(page.free_space(), SHORT));
                let has_room = page.put_each(singles);
                debug_assert!(has_room, "{} tuples", singles.len());
                leaf.filling.take(singles.len(), 0);
                if !tuples.advance() {
                    return Ok(false);
                }
            }
            let tuple = tuples.group.finish();
            index.check_third_page(tuple)?;
            if leaf.filling.is_full(page.free_space(), tuple.len() + tuple::TID_ROOM) {
                return Ok(true);
            }
            let has_room = page.put(tuple);
            debug_assert!(has_room, "{} bytes", tuple.len());
            leaf.filling.take(1, tuple.len() - tuple::key_size(tuple));
            tuples.is_pending = false;
        }
    }
}
