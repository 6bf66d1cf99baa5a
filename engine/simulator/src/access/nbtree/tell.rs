//! What an insertion decided, in words: only where somebody listens (`Trace::on`), else no sentence is made.
//!
//! ```text
//!  no room ─▶ deletion, deduplication: what they asked and won ─▶ enough? "is not split"
//!                                                              └▶ why nothing more could be done ─▶ the split, its high key, its downlink
//! ```

use super::dedup::delete::Deletion;
use super::insert::Insertion;
use super::split::NewItem;
use super::{Index, tuple};
use crate::access::heap::IndexDeleteTid;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Value};
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::{BlockNumber, ItemIdData, LpFlags, Page, thousands};

/// What the heap is asked before a deletion.
pub(super) struct Question {
    /// entries
    tids: usize,
    /// of them likely to be dead
    promising: usize,
    /// heap blocks
    blocks: usize,
    /// bytes that would be enough; `None`: simple deletion
    target: Option<usize>,
}

impl Question {
    pub fn of(candidates: &[IndexDeleteTid], target: Option<usize>) -> Self {
        let blocks: BTreeSet<BlockNumber> = candidates.iter().map(|candidate| candidate.block()).collect();
        let promising = candidates.iter().filter(|candidate| candidate.is_promising()).count();
        Self { tids: candidates.len(), promising, blocks: blocks.len(), target }
    }

    fn words(&self) -> Vec<String> {
        let (tids, blocks) = (thousands(self.tids as u64), thousands(self.blocks as u64));
        match self.target {
            None => Vec::from([format!(
                "Simple deletion: the heap blocks of items marked LP_DEAD are read anyway, so all {tids} TIDs of this page on those {blocks} blocks are asked about."
            )]),
            Some(target) => Vec::from([
                format!(
                    "Bottom-up deletion: {tids} TIDs on {blocks} heap blocks, {} of them promising: plain items that share their key with others.",
                    self.promising
                ),
                format!(
                    "The blocks with most promising ones come first, at most six, until {} bytes are won.",
                    thousands(target as u64)
                ),
            ]),
        }
    }
}

impl Index<'_> {
    /// Where a scan begins, when there are pages above that, or goes on past leaves: at the entries with these values,
    /// or beyond them.
    pub(super) fn tell_scan(&mut self, block: BlockNumber, at: (&[Value], bool, bool), skips: bool) {
        if !self.pg.trace.on {
            return;
        }
        let (buf, name, (values, inclusive, backward)) = (self.buffer(block), &self.rel.name, at);
        let texts = values.iter().zip(self.rel.desc.attributes());
        let texts = texts.map(|(value, attribute)| text(value, attribute)).collect::<Vec<_>>().join(", ");
        self.pg.trace.tell(Some(buf), || match (skips, backward, inclusive) {
            (false, ..) => format!("{name}: the index scan begins on block {block}"),
            (true, false, true) => {
                format!("{name}: the index scan skips to the entries from ({texts}) on, block {block}")
            }
            (true, false, false) => {
                format!("{name}: the index scan skips to the entries behind ({texts}), block {block}")
            }
            (true, true, true) => {
                format!("{name}: the index scan skips back to the entries up to ({texts}), block {block}")
            }
            (true, true, false) => {
                format!("{name}: the index scan skips back to the entries before ({texts}), block {block}")
            }
        });
    }

    /// After all was tried: is the page split, and if so, why was nothing better?
    pub(super) fn tell_room(&mut self, insertion: &Insertion<'_>, before: &Page) {
        let (block, needed) = (insertion.block, insertion.tuple.len() + ItemIdData::SIZE);
        let (had, has) = (usize::from(before.free()), usize::from(self.page(block).free()));
        let is_enough = has >= needed;
        let [had, has, needed] = [had, has, needed].map(|bytes| thousands(bytes as u64));
        let words = match is_enough {
            true => {
                (format!("block {block} is not split: {had} bytes were free, now {has}; {needed} needed"), Vec::new())
            }
            false => (
                format!("block {block} must be split: {has} bytes free, {needed} needed"),
                self.why_no_room(insertion, before),
            ),
        };
        let buf = self.buffer(block);
        self.pg.trace.tell_why(Some(buf), || words);
    }

    /// What each way to make room found.
    fn why_no_room(&self, insertion: &Insertion<'_>, before: &Page) -> Vec<String> {
        let major = self.pg.version.major();
        let dead = before.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Dead).count();
        let is_duplicate = !insertion.check_unique || insertion.uniquedup;
        let simple = match dead {
            0 => "Simple deletion: no item is marked LP_DEAD.".to_string(),
            dead => format!("Simple deletion: {dead} items were marked LP_DEAD; that was not enough."),
        };
        let bottom_up = match (major, insertion.unchanged || insertion.uniquedup) {
            (13, _) => "Bottom-up deletion: not before PostgreSQL 14.",
            (_, true) => "Bottom-up deletion was tried: it won too little.",
            (_, false) => {
                "Bottom-up deletion: neither does an UPDATE leave this key as it is, nor is a duplicate known."
            }
        };
        let index = self.rel.index.as_ref();
        let dedup = match (index.is_some_and(|index| index.deduplicate_items), self.meta().allequalimage) {
            (false, _) => "Deduplication: deduplicate_items is off.",
            (_, false) => {
                "Deduplication: equal keys of this index may have different bytes, or it has INCLUDE columns."
            }
            _ if !is_duplicate => "Deduplication: the index is unique, and the new key is no duplicate.",
            _ => "Deduplication was tried: too few keys are equal.",
        };
        Vec::from([simple, bottom_up.to_string(), dedup.to_string()])
    }

    /// A deletion, before it is done; what it will win.
    pub(super) fn tell_deletion(&mut self, block: BlockNumber, deletion: &Deletion, question: Option<Question>) {
        if !self.pg.trace.on {
            return;
        }
        let mut after = self.page(block).clone();
        deletion.apply(&mut after, self.pg.version.major());
        let won = after.free().saturating_sub(self.page(block).free());
        let how = match question.as_ref().map(|question| question.target) {
            Some(Some(_)) => "bottom-up deletion",
            Some(None) => "simple deletion",
            None => "deletion of items marked LP_DEAD",
        };
        let (items, lists) = (deletion.items.len(), deletion.updates.len());
        let sentence = match items + lists {
            0 => format!("block {block} has no room: {how} finds no dead row version"),
            _ => {
                let parts = if lists > 0 { format!(" and parts of posting lists ({lists})") } else { String::new() };
                format!(
                    "block {block} has no room: {how} takes {items} of its items{parts}: {} bytes",
                    thousands(won as u64)
                )
            }
        };
        let facts = question.map_or_else(Vec::new, |question| question.words());
        let buf = self.buffer(block);
        self.pg.trace.tell_why(Some(buf), || (sentence, facts));
    }

    /// A deduplication, before the page is exchanged.
    pub(super) fn tell_dedup(&mut self, block: BlockNumber, page: &Page, n_intervals: u16, single_value: bool) {
        let buf = self.buffer(block);
        let old = self.pg.buffers.page(buf);
        let (before, after) = (old.free(), page.free());
        let (was, is) = (old.item_count(), page.item_count());
        self.pg.trace.tell_why(Some(buf), || {
            let mut facts = Vec::from([format!("{was} items become {is}, {} bytes are won.", thousands((after - before) as u64))]);
            if single_value {
                facts.push("Single value strategy: the page holds one key only, so the last lists stay smaller and the page splits well.".to_string());
            }
            let [before, after] = [before, after].map(|bytes| thousands(bytes as u64));
            (
                format!("block {block}: equal keys become posting lists ({n_intervals}): {before} bytes free before, {after} now"),
                facts,
            )
        });
    }

    /// A split with its new high key; `right`: the new page.
    pub(super) fn tell_split(
        &mut self,
        block: BlockNumber,
        right: BlockNumber,
        old: &Page,
        opaque: Opaque,
        (mut sentence, mut facts): (String, Vec<String>),
        high_key: &[u8],
    ) {
        sentence = format!("block {block} is split {sentence}");
        facts.push(self.high_key_words(block, opaque, high_key));
        let siblings = match opaque.btpo_next {
            0 => format!("Siblings: {block} ⇄ {right}."),
            next => format!("Siblings: {block} ⇄ {right} ⇄ {next}, where it was {block} ⇄ {next}."),
        };
        let was = old.item_count() - u16::from(!opaque.is_rightmost());
        facts.push(format!("{siblings} Block {right} is new and has no downlink yet: the split is incomplete until it has. There were {was} items."));
        let buf = self.buffer(block);
        self.pg.trace.tell_why(Some(buf), || (sentence, facts));
    }

    fn high_key_words(&self, block: BlockNumber, opaque: Opaque, high_key: &[u8]) -> String {
        let (kept, all) = (tuple::n_atts(high_key, self.n_keys()), self.n_keys());
        let key = self.key_words(high_key);
        let cut = match (opaque.is_leaf(), kept < all, tuple::heap_tid(high_key)) {
            (false, ..) => "the key of the first item on the right, which keeps its downlink only".to_string(),
            (true, true, _) => {
                format!("the first {kept} of {all} columns tell both pages apart, the others are truncated")
            }
            (true, false, None) => "all key columns are needed".to_string(),
            (true, false, Some(tid)) => format!("all key columns are equal, so the TID {tid} is part of it"),
        };
        format!("High key of block {block}: {key}, {} bytes: {cut}.", thousands(high_key.len() as u64))
    }

    /// The key columns of a tuple, as far as it has them.
    pub(super) fn key_words(&self, item: &[u8]) -> String {
        let n = tuple::n_atts(item, self.n_keys()).min(self.n_keys());
        let columns = (0..n).zip(self.rel.desc.attributes());
        let texts = columns.map(|(n, attribute)| text(&self.column(item, n), attribute)).collect::<Vec<_>>();
        format!("({})", texts.join(", "))
    }

    /// The downlink of a new right page.
    pub(super) fn tell_downlink(&mut self, left: BlockNumber, right: BlockNumber, parent: BlockNumber, offset: u16) {
        let (buf, level) = (self.buffer(parent), self.opaque(parent).btpo_level);
        let key = if self.pg.trace.on { self.key_words(tuple::item(self.page(left), 1)) } else { String::new() };
        self.pg.trace.tell_why(Some(buf), || {
            let facts = Vec::from([
                format!("Item {} leads to block {left}; behind it comes {key} with the downlink to block {right}: the high key of block {left}.", offset - 1),
                format!("With it the split of block {left} is complete: the flag BTP_INCOMPLETE_SPLIT goes."),
            ]);
            (format!("block {parent} on level {level} gets the downlink to block {right}, as item {offset}"), facts)
        });
    }
}

fn text(value: &Value, attribute: &Attribute) -> String {
    if value.is_null() { "NULL".to_string() } else { value.output(attribute.typid).unwrap_or_default() }
}

impl NewItem<'_> {
    /// Does it split a posting list?
    pub(super) fn tell_posting(&self, index: &mut Index<'_>, block: BlockNumber) {
        let Some(list) = &self.posting else { return };
        let buf = index.buffer(block);
        index.pg.trace.tell(Some(buf), || {
            format!(
                "block {block}: the TID belongs into the posting list of item {}, at place {} of {}: it goes there, and the list's last TID becomes an item of its own",
                self.offset - 1,
                self.posting_offset,
                tuple::n_tids(list)
            )
        });
    }
}
