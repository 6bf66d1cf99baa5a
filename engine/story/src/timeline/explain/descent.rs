//! How an insertion or a scan came to a page of a B-tree: the pages above it, and the separators between which it went
//! down.
//!
//! It is read from the pages, not told by the simulator: so a live server's insertion shows it too, and each row costs
//! no step more.

use super::Captures;
use super::words::{count, list};
use crate::timeline::{Cause, Event, EventKind, Step};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BTREE_FASTPATH_MIN_LEVEL, BtItem, BtPage, Turn, descent, level_word};
use ffviz_format::page::{BlockNumber, ForkNumber, OffsetNumber, Oid};
use ffviz_format::state::{PageId, Relation, State};
use ffviz_format::wal::record_type::BtreeType;
use ffviz_format::wal::{Record, RecordType};

/// Does the record come at the end of a descent: an insertion, or what makes room for one? VACUUM goes through the
/// file instead.
const fn is_at_its_end(of: BtreeType) -> bool {
    match of {
        BtreeType::InsertLeaf
        | BtreeType::InsertUpper
        | BtreeType::InsertMeta
        | BtreeType::InsertPost
        | BtreeType::SplitL
        | BtreeType::SplitR
        | BtreeType::Dedup
        | BtreeType::Delete => true,
        BtreeType::UnlinkPage
        | BtreeType::UnlinkPageMeta
        | BtreeType::Newroot
        | BtreeType::MarkPageHalfdead
        | BtreeType::Vacuum
        | BtreeType::ReusePage
        | BtreeType::MetaCleanup => false,
    }
}

/// The page of an index to which a step descended, where it did.
#[must_use]
pub fn goal(state: &State, step: &Step, index: Oid) -> Option<BlockNumber> {
    match &step.cause {
        Cause::Told { about, .. } => about.filter(|id| id.relation == index).map(|id| id.block),
        Cause::Record(record) => of_record(state, record, state.relations.get(&index)?),
        _ => None,
    }
}

fn of_record(state: &State, record: &Record, index: &Relation) -> Option<BlockNumber> {
    let RecordType::Btree(of) = record.record_type(state.server.version) else { return None };
    let decoded = record.decode(state.server.version).ok()?;
    let tag = decoded.blocks.first()?.tag;
    let is_here = is_at_its_end(of) && index.is_file(tag.locator);
    is_here.then_some(tag.block)
}

/// The way, where it led over more than one page.
pub(super) fn event(captures: &Captures<'_>, index: &Relation) -> Option<Event> {
    let goal = goal(captures.after, captures.step, index.oid)?;
    let id = |block| PageId { relation: index.oid, fork: ForkNumber::Main, block };
    let page = |block| captures.after.pages.get(&id(block));
    let way = descent(page, captures.after.server.version, goal).filter(|way| !way.is_empty())?;
    let turns: Vec<Seen<'_>> = way.iter().filter_map(|turn| Seen::new(captures, index, *turn)).collect();
    let stops: Vec<String> = turns.iter().map(Seen::stop).collect();
    let what = format!("{}: descent: metapage → {} → block {goal}", index.told(), stops.join(" → "));
    let mut why = turns.iter().map(Seen::separators).collect::<Vec<_>>().join(" ");
    if may_be_short(captures, id(goal), turns.len()) {
        why.push_str(SHORT_WAY);
    }
    Some(Event { what, why: Some(why), ..Event::new(EventKind::Descent, id(goal)) })
}

/// What a record of a server does not tell.
const SHORT_WAY: &str = " A session that inserted here last remembers the page, and may have come straight to it.";

/// `_bt_search_insert` remembers the rightmost leaf (`BTREE_FASTPATH_MIN_LEVEL`), and so does not descend every time.
fn may_be_short(captures: &Captures<'_>, goal: PageId, above: usize) -> bool {
    let page = captures.after.pages.get(&goal).map(|page| BtPage::decode(page, captures.after.server.version));
    above >= BTREE_FASTPATH_MIN_LEVEL as usize
        && matches!(captures.step.cause, Cause::Record(_))
        && page.is_some_and(|page| page.btpo_level == 0 && page.is_rightmost())
}

/// A page on the way with its items.
struct Seen<'a> {
    captures: &'a Captures<'a>,
    index: &'a Relation,
    turn: Turn,
    decoded: BtPage,
}

impl<'a> Seen<'a> {
    fn new(captures: &'a Captures<'_>, index: &'a Relation, turn: Turn) -> Option<Self> {
        let id = PageId { relation: index.oid, fork: ForkNumber::Main, block: turn.block };
        let decoded = BtPage::decode(captures.after.pages.get(&id)?, captures.after.server.version);
        Some(Self { captures, index, turn, decoded })
    }

    /// `block 3, item 2 of 5`; the high key counts as an item, as PostgreSQL numbers them.
    fn stop(&self) -> String {
        format!("block {}, item {} of {}", self.turn.block, self.turn.item, self.decoded.items.len())
    }

    /// Between which keys it went down.
    fn separators(&self) -> String {
        let is_first = self.decoded.data_items().first().is_some_and(|item| item.offset == self.turn.item);
        let from = self.key(self.turn.item).filter(|_| !is_first);
        let to = self.key(OffsetNumber(self.turn.item.0 + 1)).or_else(|| self.bound());
        let place = format!("Block {} ({})", self.turn.block, self.level());
        match (from, to) {
            (None, None) => format!("{place} has {} only.", count(self.decoded.data_items().len(), "downlink")),
            (None, Some(to)) => format!("{place}: its first downlink is for all keys up to {to}."),
            (Some(from), None) => format!("{place}: its last downlink is for all keys above {from}."),
            (Some(from), Some(to)) => format!("{place}: the separators around are {}.", list(&[from, to])),
        }
    }

    fn level(&self) -> String {
        level_word(self.decoded.btpo_level, self.decoded.is_root())
    }

    fn key(&self, item: OffsetNumber) -> Option<String> {
        self.text(self.decoded.item(item)?)
    }

    /// The page's own high key.
    fn bound(&self) -> Option<String> {
        self.text(self.decoded.items.first().filter(|_| !self.decoded.is_rightmost())?)
    }

    fn text(&self, item: &BtItem) -> Option<String> {
        if self.captures.redact {
            return Some("a key".to_string());
        }
        let id = PageId { relation: self.index.oid, fork: ForkNumber::Main, block: self.turn.block };
        let n_keys = self.index.index.as_ref().map_or(0, |index| index.n_keys);
        Some(item.tuple.as_ref()?.key_text(self.captures.after.pages.get(&id)?, &self.index.attributes, n_keys))
    }
}
