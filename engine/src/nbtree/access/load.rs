//! The leaves of an index that is built (`_bt_load`, src/backend/access/nbtree/nbtsort.c).
//!
//! ```text
//!  sorted tuples ──▶ equal keys become one posting list ──▶ leaf after leaf, filled from its end
//! ```

use super::Index;
use super::build::Build;
use super::dedup::Group;
use super::key::SameKeys;
use super::spool::Spool;
use super::tuple;
use crate::storage::Outcome;
use core::iter::Peekable;

/// What a posting list made by a build may have at most: a tenth of a page, less a line pointer.
const MAX_POSTING_SIZE: usize = 812;

/// The tuples of the leaves, one after the other.
struct LeafTuples<'a, I: Iterator<Item = &'a [u8]>> {
    sorted: Peekable<I>,
    /// what tells that keys are the same; `None`: no posting lists are made
    merge: Option<SameKeys<'a>>,
    /// what the tuple at work is made of
    group: Group<'a>,
}

impl<'a, I: Iterator<Item = &'a [u8]>> LeafTuples<'a, I> {
    /// Goes on to the next; `false`: there is none.
    #[inline]
    fn advance(&mut self) -> bool {
        let Some(tuple) = self.sorted.next() else { return false };
        self.group.restart(tuple, 0);
        let Some(keys) = self.merge else { return true };
        while let Some(next) = self.sorted.peek().copied()
            && keys.same(tuple, next)
            && self.group.fits(next, MAX_POSTING_SIZE)
        {
            self.sorted.next();
            self.group.take(next);
        }
        true
    }
}

impl Build {
    /// `_bt_load`: the leaves, and above them what follows from them. `merge`: equal keys share posting lists.
    pub(super) fn load(&mut self, index: &Index<'_>, spool: &Spool, merge: bool) -> Outcome<()> {
        let sorted = spool.tuples().peekable();
        let merge = merge.then(|| SameKeys::of(index));
        let mut tuples = LeafTuples { sorted, merge, group: Group::default() };
        let mut is_there = tuples.advance();
        if is_there {
            self.new_level(0);
        }
        while is_there {
            is_there = self.fill_leaf(index, &mut tuples)?;
            if is_there {
                self.next_page(index, 0);
            }
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
            let tuple = tuples.group.finish();
            index.check_third_page(tuple)?;
            if leaf.filling.is_full(page.free_space(), tuple.len() + tuple::TID_ROOM) {
                return Ok(true);
            }
            let has_room = page.put(tuple);
            debug_assert!(has_room, "{} bytes", tuple.len());
            leaf.filling.last += 1;
            leaf.filling.last_extra = tuple.len() - tuple::key_size(tuple);
            if !tuples.advance() {
                return Ok(false);
            }
        }
    }
}
