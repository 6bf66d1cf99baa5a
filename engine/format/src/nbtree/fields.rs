//! What the inspector shows of index tuples, special space, metapage and deleted page: every field with its bytes and
//! meaning.

use super::flags::{BTPO_FLAGS, OFFSET_STATUS, T_INFO};
use super::key::column_text;
use super::{BtKind, BtPage, IndexTuple, IndexTupleKind};
use crate::datum::{Attribute, Datum, Storage};
use crate::page::layout::Wire;
use crate::page::nbtree::{BTDeletedPageData, BTMetaPageData, BTMetaPageData13, BTPageOpaqueData, IndexTupleData};
use crate::page::{Bit, Field, ItemPointer, Page, PageHeaderData, PgVersion};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl IndexTuple {
    /// Every field with its bytes: `t_tid`, `t_info`, null bitmap, key columns, TIDs. `n_keys` is `indnkeyatts`: the
    /// attributes after these are INCLUDE columns, which pivot tuples never have.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute], n_keys: u16) -> Vec<Field> {
        let mut fields = self.header_fields(page);
        if let Some(bytes) = self.null_bitmap() {
            let bits = page.slice(bytes.clone()).iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
            let value = bits.map(|bit| if bit == 1 { '1' } else { '0' }).collect();
            fields.push(Field::new("null bitmap", bytes, value, "a bit a column, always 32: 0 is NULL"));
        }
        fields.extend(self.column_fields(page, attributes, n_keys));
        fields.extend(self.tid_fields());
        fields
    }

    fn header_fields(&self, page: &Page) -> Vec<Field> {
        let mut fields = IndexTupleData::new(page.slice(self.bytes.clone())).fields(self.bytes.start);
        for field in &mut fields {
            if field.name == "t_tid" {
                field.meaning = self.meaning_of_t_tid();
                let is_plain = matches!(self.kind, IndexTupleKind::Plain(_));
                field.bits = if is_plain { Vec::new() } else { Bit::spell(self.t_tid.offset.0, OFFSET_STATUS) };
            } else {
                field.value = format!("{:#06x}", self.t_info);
                field.meaning = format!("size {} bytes, and three flags", self.size());
                field.bits = Bit::spell(self.t_info, T_INFO);
            }
        }
        fields
    }

    /// The columns of the index; without a list of them, the bytes of all as one field.
    fn column_fields(&self, page: &Page, attributes: &[Attribute], n_keys: u16) -> Vec<Field> {
        if attributes.is_empty() && !self.key.is_empty() {
            let hex = page.slice(self.key.clone()).iter().map(|byte| format!("{byte:02x}")).collect();
            let field = Field::new("key", self.key.clone(), hex, "bytes of the columns, whose types are not known");
            return Vec::from([Field { is_data: true, ..field }]);
        }
        let kept = if self.n_keys().is_some() { usize::from(n_keys) } else { attributes.len() };
        let columns = self.columns(page, attributes);
        columns.iter().zip(attributes).take(kept).map(|(column, a)| column_field(column, page, a)).collect()
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
        each.map(|(at, tid)| Field::new(name, at..at.saturating_add(size), tid.to_string(), meaning)).collect()
    }
}

fn column_field(column: &Datum, page: &Page, attribute: &Attribute) -> Field {
    let mut field = column.field(page, attribute);
    if column.storage == Storage::Missing {
        field.value = column_text(column, page, attribute);
        field.meaning = format!("{}; truncated, as it is not needed to tell the neighbours apart", attribute.type_name);
    }
    field
}

impl BtPage {
    /// The special space: `BTPageOpaqueData`.
    #[must_use]
    pub fn special_fields(&self, page: &Page, version: PgVersion) -> Vec<Field> {
        let at = page.special_start();
        let mut fields = BTPageOpaqueData::new(page.slice(at..page.size())).fields(at);
        for field in &mut fields {
            match field.name.as_str() {
                "btpo_flags" => {
                    field.value = format!("{:#06x}", self.btpo_flags);
                    field.meaning = self.word().to_string();
                    field.bits = Bit::spell(self.btpo_flags, BTPO_FLAGS);
                }
                "btpo_level" if self.kind == BtKind::Deleted && !version.has_btree_full_xids() => {
                    field.name = "btpo.xact".to_string();
                    field.meaning = "xid; once no transaction that old runs, the page may be recycled".to_string();
                }
                _ => {}
            }
        }
        fields
    }

    /// What the page holds instead of tuples: `BTMetaPageData`, or a deleted page's `BTDeletedPageData`; empty for
    /// other pages.
    #[must_use]
    pub fn meta_fields(&self, page: &Page, version: PgVersion) -> Vec<Field> {
        let at = PageHeaderData::SIZE as u16;
        let raw = page.slice(at..page.size());
        match self.kind {
            BtKind::Meta if !version.has_btree_full_xids() => BTMetaPageData13::new(raw).fields(at),
            BtKind::Meta => BTMetaPageData::new(raw).fields(at),
            BtKind::Deleted if self.has_fullxid() => BTDeletedPageData::new(raw).fields(at),
            _ => Vec::new(),
        }
    }
}
