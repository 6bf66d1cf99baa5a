//! From a heap tuple back to the index entries that lead to it.
//!
//! PostgreSQL has no such search: it descends by key. Here the leaves that are known are read through, since the
//! question is which entries there are, not which there should be.

use super::{BtKind, BtPage};
use crate::page::{BlockNumber, ItemPointer, LpFlags, OffsetNumber, Page, PgVersion};
use alloc::vec::Vec;

/// An entry of a leaf page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// the leaf
    pub block: BlockNumber,
    /// the item
    pub offset: OffsetNumber,
    /// is it marked as dead (`LP_DEAD`)?
    pub killed: bool,
}

/// The entries that lead to a heap tuple, among the known pages of an index; in page order.
#[must_use]
pub fn entries<'a>(
    pages: impl Iterator<Item = (BlockNumber, &'a Page)>,
    version: PgVersion,
    heap_tid: ItemPointer,
) -> Vec<Entry> {
    pages.flat_map(|(block, page)| on_page(&BtPage::decode(page, version), block, heap_tid)).collect()
}

fn on_page(bt: &BtPage, block: BlockNumber, heap_tid: ItemPointer) -> Vec<Entry> {
    if bt.kind != BtKind::Leaf {
        return Vec::new();
    }
    let leads = bt.data_items().iter().filter(|item| {
        item.tuple.as_ref().is_some_and(|tuple| tuple.n_keys().is_none() && tuple.heap_tids().contains(&heap_tid))
    });
    leads.map(|item| Entry { block, offset: item.offset, killed: item.lp.lp_flags() == LpFlags::Dead }).collect()
}
