//! One index tuple: header, null bitmap, key columns, heap TIDs (src/include/access/nbtree.h, "Notes on B-Tree tuple
//! format").
//!
//! ```text
//! plain     t_tid = heap TID          t_info │ nulls │ key columns
//! posting   t_tid = (list at, 0x2000|n) t_info │ nulls │ key columns │ n heap TIDs
//! pivot     t_tid = (child, n keys)   t_info │ nulls │ first n key columns │ maybe one heap TID
//! ```

use super::flags::{
    BT_IS_POSTING, BT_OFFSET_MASK, BT_PIVOT_HEAP_TID_ATTR, INDEX_ALT_TID_MASK, INDEX_NULL_MASK, INDEX_SIZE_MASK,
    INDEX_VAR_MASK,
};
use super::{BtKind, IndexTuple, IndexTupleKind};
use crate::page::layout::Wire;
use crate::page::nbtree::IndexTupleData;
use crate::page::{ItemPointer, Page};
use alloc::vec::Vec;
use core::ops::Range;

/// `INDEX_MAX_KEYS`: before layout version 4 a pivot tuple has all key columns and does not say how many; this stands
/// for "all".
pub const INDEX_MAX_KEYS: u16 = 32;

/// Header and null bitmap, rounded up to `MAXALIGN`.
const DATA_OFFSET_WITH_NULLS: u16 = 16;
/// `MAXALIGN(sizeof(ItemPointerData))`: what a pivot's heap TID takes.
const PIVOT_HEAP_TID_SPACE: u16 = 8;
/// `sizeof(ItemPointerData)`
const TID_SIZE: u16 = ItemPointer::SIZE as u16;

impl IndexTuple {
    /// Size that the tuple itself states (`IndexTupleSize`).
    #[must_use]
    pub const fn size(&self) -> u16 {
        self.t_info & INDEX_SIZE_MASK
    }

    /// Has it a null bitmap?
    #[must_use]
    pub const fn has_nulls(&self) -> bool {
        self.t_info & INDEX_NULL_MASK != 0
    }

    /// Has it variable-width columns?
    #[must_use]
    pub const fn has_varwidths(&self) -> bool {
        self.t_info & INDEX_VAR_MASK != 0
    }

    /// Key columns present in a pivot tuple; `None` for leaf tuples, which have all.
    #[must_use]
    pub const fn n_keys(&self) -> Option<u16> {
        match self.kind {
            IndexTupleKind::Downlink { n_keys, .. } | IndexTupleKind::HighKey { n_keys, .. } => Some(n_keys),
            IndexTupleKind::TopParent(_) => Some(0),
            IndexTupleKind::Plain(_) | IndexTupleKind::Posting(_) => None,
        }
    }

    /// The heap tuples a leaf tuple leads to, or the tie-breaker of a pivot tuple.
    #[must_use]
    pub fn heap_tids(&self) -> &[ItemPointer] {
        match &self.kind {
            IndexTupleKind::Plain(tid) => core::slice::from_ref(tid),
            IndexTupleKind::Posting(tids) => tids,
            IndexTupleKind::Downlink { heap_tid, .. } | IndexTupleKind::HighKey { heap_tid, .. } => heap_tid.as_slice(),
            IndexTupleKind::TopParent(_) => &[],
        }
    }

    /// Number of TIDs that a posting list says it has (`BTreeTupleGetNPosting`).
    pub(super) const fn stated_tids(&self) -> usize {
        (self.t_tid.offset.0 & BT_OFFSET_MASK) as usize
    }

    /// The null bitmap, where there is one.
    #[must_use]
    pub fn null_bitmap(&self) -> Option<Range<u16>> {
        let start = self.bytes.start.saturating_add(IndexTupleData::SIZE as u16);
        let end = start.saturating_add(INDEX_MAX_KEYS / 8).min(self.bytes.end);
        (self.has_nulls() && start < end).then_some(start..end)
    }

    /// Where the TIDs of a posting list, or a pivot's heap TID, stand.
    #[must_use]
    pub fn tid_bytes(&self) -> Range<u16> {
        let count = match &self.kind {
            IndexTupleKind::Posting(tids) => tids.len() as u16,
            IndexTupleKind::Downlink { heap_tid: Some(_), .. } | IndexTupleKind::HighKey { heap_tid: Some(_), .. } => {
                return self.bytes.end.saturating_sub(TID_SIZE)..self.bytes.end;
            }
            _ => 0,
        };
        self.key.end..self.key.end.saturating_add(count * TID_SIZE).min(self.bytes.end)
    }
}

/// Takes the tuple at `bytes` apart. `at_high_key`: it stands where the high key belongs.
pub(super) fn decode(page: &Page, bytes: Range<u16>, page_kind: BtKind, at_high_key: bool) -> IndexTuple {
    let raw = page.slice(bytes.clone());
    let header = IndexTupleData::new(raw);
    let (t_tid, t_info) = (header.t_tid(), header.t_info());
    let posid = t_tid.offset.0;
    let alternative = t_info & INDEX_ALT_TID_MASK != 0;
    let is_posting = alternative && posid & BT_IS_POSTING != 0;
    let is_pivot = alternative && !is_posting;

    let data_offset = if t_info & INDEX_NULL_MASK != 0 { DATA_OFFSET_WITH_NULLS } else { IndexTupleData::SIZE as u16 };
    let data_start = bytes.start.saturating_add(data_offset).min(bytes.end);
    let has_heap_tid = is_pivot && posid & BT_PIVOT_HEAP_TID_ATTR != 0;
    let data_end = if is_posting {
        u32::from(bytes.start).saturating_add(t_tid.block).min(u32::from(bytes.end)) as u16
    } else if has_heap_tid {
        bytes.end.saturating_sub(PIVOT_HEAP_TID_SPACE)
    } else {
        bytes.end
    };
    let key = data_start..data_end.max(data_start);

    let n_keys = if is_pivot { posid & BT_OFFSET_MASK } else { INDEX_MAX_KEYS };
    let heap_tid = has_heap_tid.then(|| tid_at(raw, raw.len().saturating_sub(usize::from(TID_SIZE))));
    let is_top_parent = page_kind == BtKind::HalfDead
        || page_kind == BtKind::Deleted && is_pivot && n_keys == 0 && raw.len() <= IndexTupleData::SIZE;
    let kind = if at_high_key && is_top_parent {
        IndexTupleKind::TopParent((t_tid.block != u32::MAX).then_some(t_tid.block))
    } else if is_posting {
        IndexTupleKind::Posting(posting_list(page.slice(key.end..bytes.end), t_tid))
    } else if at_high_key {
        IndexTupleKind::HighKey { n_keys, heap_tid }
    } else if is_pivot || page_kind == BtKind::Internal {
        IndexTupleKind::Downlink { child: t_tid.block, n_keys, heap_tid }
    } else {
        IndexTupleKind::Plain(t_tid)
    };
    IndexTuple { bytes, kind, t_tid, t_info, key }
}

/// The TIDs of a posting list: as many as stated and as there are bytes for.
fn posting_list(list: &[u8], t_tid: ItemPointer) -> Vec<ItemPointer> {
    let stated = usize::from(t_tid.offset.0 & BT_OFFSET_MASK);
    list.chunks_exact(usize::from(TID_SIZE)).take(stated).map(ItemPointer::get).collect()
}

fn tid_at(raw: &[u8], at: usize) -> ItemPointer {
    ItemPointer::get(raw.get(at..).unwrap_or(&[]))
}
