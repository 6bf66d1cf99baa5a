//! What the inspector shows of index tuples, special space, metapage and deleted page: every field with its bytes and meaning.

use super::flags;
use super::{BtKind, BtPage, IndexTuple, IndexTupleKind};
use crate::datum::Attribute;
use crate::page::layout::{FieldSpec, Texts, Wire};
use crate::page::nbtree::{BTDeletedPageData, BTMetaPageData, BTMetaPageData13, BTPageOpaqueData, IndexTupleData};
use crate::page::{Field, ItemPointer, Page, PageHeaderData, PgVersion};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

impl IndexTuple {
    /// Every field with its bytes: `t_tid`, `t_info`, null bitmap, key columns, TIDs.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute], n_keys: u16) -> Vec<Field> {
        let _ = (attributes, n_keys);
        let raw = slice(page, self.bytes.clone());
        let mut fields = struct_fields(IndexTupleData::FIELDS, IndexTupleData::new(raw).values(), self.bytes.start);
        if let [t_tid, t_info, ..] = fields.as_mut_slice() {
            t_tid.meaning = self.meaning_of_t_tid();
            if !matches!(self.kind, IndexTupleKind::Plain(_)) {
                t_tid.bits = flags::offset_status(self.t_tid.offset.0);
            }
            t_info.value = format!("{:#06x}", self.t_info);
            t_info.meaning = format!("size {} bytes, and three flags", self.size());
            t_info.bits = flags::t_info(self.t_info);
        }
        if let Some(bytes) = self.null_bitmap() {
            let value =
                slice(page, bytes.clone()).iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join(" ");
            fields.push(field("null bitmap", bytes, value, "one bit a column from the right, 0 is NULL"));
        }
        if !self.key.is_empty() {
            let mut key = field("key", self.key.clone(), hex(slice(page, self.key.clone())), "key columns");
            key.is_data = true;
            fields.push(key);
        }
        fields.extend(self.tid_fields());
        fields
    }

    fn meaning_of_t_tid(&self) -> String {
        let block = self.t_tid.block;
        match &self.kind {
            IndexTupleKind::Plain(tid) => format!("the heap tuple: block {}, line pointer {}", tid.block, tid.offset),
            IndexTupleKind::Posting(tids) => {
                format!("posting list of {} heap TIDs, {block} bytes into the tuple", tids.len())
            }
            IndexTupleKind::Downlink { child, n_keys: 0, .. } => {
                format!("downlink to block {child}; no key columns: minus infinity, less than every key")
            }
            IndexTupleKind::Downlink { child, .. } => {
                format!("downlink to block {child}, then the number of key columns")
            }
            IndexTupleKind::HighKey { .. } => {
                format!(
                    "number of key columns; the block number {block} is left over from the tuple it was made of, and means nothing"
                )
            }
            IndexTupleKind::TopParent(Some(top)) => format!("block {top}: top of the branch that is being deleted"),
            IndexTupleKind::TopParent(None) => "no block: this leaf alone is being deleted".to_string(),
        }
    }

    fn tid_fields(&self) -> Vec<Field> {
        let size = ItemPointer::SIZE as u16;
        let (name, meaning) = match self.kind {
            IndexTupleKind::Posting(_) => ("heap TID", "one of the heap tuples with this key, in order"),
            IndexTupleKind::Downlink { .. } | IndexTupleKind::HighKey { .. } => {
                ("heap TID", "tie-breaker: all key columns are equal on both sides of the boundary")
            }
            IndexTupleKind::Plain(_) | IndexTupleKind::TopParent(_) => return Vec::new(),
        };
        let starts = self.tid_bytes().step_by(usize::from(size));
        let each = starts.zip(self.heap_tids());
        each.map(|(at, tid)| field(name, at..at.saturating_add(size), tid.to_string(), meaning)).collect()
    }
}

impl BtPage {
    /// The special space: `BTPageOpaqueData`.
    #[must_use]
    pub fn special_fields(&self, page: &Page, version: PgVersion) -> Vec<Field> {
        let at = page.header().pd_special();
        let special = BTPageOpaqueData::new(slice(page, at..page.size()));
        let mut fields = struct_fields(BTPageOpaqueData::FIELDS, special.values(), at);
        for field in &mut fields {
            match field.name.as_str() {
                "btpo_flags" => {
                    field.value = format!("{:#06x}", self.btpo_flags);
                    field.meaning = self.word().to_string();
                    field.bits = flags::btpo_flags(self.btpo_flags);
                }
                "btpo_level" if self.kind == BtKind::Deleted && version.major() < 14 => {
                    field.name = "btpo.xact".to_string();
                    field.meaning = "xid; once no transaction that old runs, the page may be recycled".to_string();
                }
                _ => {}
            }
        }
        fields
    }

    /// What the page holds instead of tuples: `BTMetaPageData`, or a deleted page's `BTDeletedPageData`; empty for other pages.
    #[must_use]
    pub fn meta_fields(&self, page: &Page, version: PgVersion) -> Vec<Field> {
        let at = PageHeaderData::SIZE as u16;
        let raw = slice(page, at..page.size());
        match self.kind {
            BtKind::Meta if version.major() < 14 => {
                struct_fields(BTMetaPageData13::FIELDS, BTMetaPageData13::new(raw).values(), at)
            }
            BtKind::Meta => struct_fields(BTMetaPageData::FIELDS, BTMetaPageData::new(raw).values(), at),
            BtKind::Deleted if self.btpo_flags & flags::BTP_HAS_FULLXID != 0 => {
                struct_fields(BTDeletedPageData::FIELDS, BTDeletedPageData::new(raw).values(), at)
            }
            _ => Vec::new(),
        }
    }
}

fn struct_fields(specs: &[FieldSpec], values: Texts, at: u16) -> Vec<Field> {
    let place = |spec: &FieldSpec| at.saturating_add(spec.offset)..at.saturating_add(spec.offset + spec.len);
    specs.iter().zip(values).map(|(spec, value)| field(spec.name, place(spec), value, spec.doc.trim())).collect()
}

fn field(name: &str, bytes: Range<u16>, value: String, meaning: &str) -> Field {
    Field { name: name.to_string(), bytes, value, meaning: meaning.to_string(), bits: Vec::new(), is_data: false }
}

fn slice(page: &Page, bytes: Range<u16>) -> &[u8] {
    page.bytes().get(usize::from(bytes.start)..usize::from(bytes.end)).unwrap_or(&[])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
