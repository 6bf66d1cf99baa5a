//! A B-tree's changed pages side by side: which entries are new, which are gone, wherever splits and merges have put
//! the others.
//!
//! An entry is a key with a heap TID; a posting list is as many entries as it has TIDs. So a split, which only moves
//! entries, and a deduplication, which only joins them, add and remove none.

use super::Captures;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BtItem, BtKind, BtPage, IndexTuple, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber, Page};
use ffviz_format::state::Relation;

/// One page, before and after; `None` where it was not, or is no more, part of the file.
#[derive(Debug)]
pub struct BtPair<'a> {
    /// which
    pub block: BlockNumber,
    /// before
    pub before: Option<(&'a Page, BtPage)>,
    /// after
    pub after: Option<(&'a Page, BtPage)>,
}

impl BtPair<'_> {
    /// The page before.
    pub fn was(&self) -> Option<&BtPage> {
        self.before.as_ref().map(|(_, page)| page)
    }

    /// The page after.
    pub fn is(&self) -> Option<&BtPage> {
        self.after.as_ref().map(|(_, page)| page)
    }
}

/// A key with one heap TID, where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// where it leads
    pub tid: ItemPointer,
    /// the leaf
    pub block: BlockNumber,
    /// its line pointer
    pub offset: OffsetNumber,
    /// the leaf's bytes
    pub page: &'a Page,
    /// the tuple it is, or is part of
    pub tuple: &'a IndexTuple,
    /// is the line pointer marked `LP_DEAD`?
    pub killed: bool,
}

/// Entries by heap TID and key.
pub type Entries<'a> = BTreeMap<(ItemPointer, &'a [u8]), Entry<'a>>;

/// The changed pages of one B-tree.
#[derive(Debug)]
pub struct TreeDiff<'a> {
    /// the index
    pub relation: &'a Relation,
    /// in block order
    pub pages: Vec<BtPair<'a>>,
}

fn add<'a>(entries: &mut Entries<'a>, block: BlockNumber, page: &'a Page, decoded: &'a BtPage) {
    if decoded.kind != BtKind::Leaf {
        return;
    }
    for BtItem { offset, lp, tuple } in decoded.data_items() {
        let Some(tuple) = tuple else { continue };
        let killed = lp.lp_flags() == LpFlags::Dead;
        for tid in tuple.heap_tids() {
            let entry = Entry { tid: *tid, block, offset: *offset, page, tuple, killed };
            entries.insert((*tid, page.slice(tuple.key.clone())), entry);
        }
    }
}

impl<'a> TreeDiff<'a> {
    /// Takes the changed pages of an index apart.
    pub fn new(relation: &'a Relation, captures: &Captures<'a>) -> Self {
        let version = captures.after.server.version;
        let decode = |page: &'a Page| (page, BtPage::decode(page, version));
        let pages = captures
            .changes(relation.oid, ForkNumber::Main)
            .map(|change| BtPair {
                block: change.id.block,
                before: change.before.as_ref().map(decode),
                after: change.after.as_ref().map(decode),
            })
            .collect();
        Self { relation, pages }
    }

    /// The page pair of a block, if it changed.
    pub fn page(&self, block: BlockNumber) -> Option<&BtPair<'a>> {
        self.pages.binary_search_by_key(&block, |pair| pair.block).ok().map(|i| &self.pages[i])
    }

    /// All entries of the changed pages before.
    pub fn entries_before(&self) -> Entries<'_> {
        let mut entries = Entries::new();
        for pair in &self.pages {
            pair.before.iter().for_each(|(page, decoded)| add(&mut entries, pair.block, page, decoded));
        }
        entries
    }

    /// All entries of the changed pages after.
    pub fn entries_after(&self) -> Entries<'_> {
        let mut entries = Entries::new();
        for pair in &self.pages {
            pair.after.iter().for_each(|(page, decoded)| add(&mut entries, pair.block, page, decoded));
        }
        entries
    }

    /// The page above that leads to `child`, among the changed pages.
    pub fn parent_of(&self, child: BlockNumber) -> Option<BlockNumber> {
        let leads = |item: &BtItem| {
            item.tuple
                .as_ref()
                .is_some_and(|t| matches!(t.kind, IndexTupleKind::Downlink { child: c, .. } if c == child))
        };
        let above = |pair: &&BtPair<'_>| {
            pair.is().is_some_and(|p| p.kind == BtKind::Internal && p.data_items().iter().any(leads))
        };
        self.pages.iter().find(above).map(|pair| pair.block)
    }

    /// The key as text: `(5, abc)`; `key` alone when row data is not to be shown.
    pub fn key_text(&self, captures: &Captures<'_>, page: &Page, tuple: &IndexTuple) -> String {
        const LONGEST: usize = 32;
        if captures.redact {
            return "key".to_string();
        }
        let n_keys = self.relation.index.as_ref().map_or(0, |index| index.n_keys);
        let fields = tuple.fields(page, &self.relation.attributes, n_keys);
        let values: Vec<String> =
            fields.into_iter().filter(|f| f.is_data).map(|f| f.value.trim_end().to_string()).collect();
        let text = values.join(", ");
        match text.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("({}…)", &text[..cut]),
            None => format!("({text})"),
        }
    }
}
