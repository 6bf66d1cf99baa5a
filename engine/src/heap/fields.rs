//! A tuple field by field, with its bytes and what each value means here: what the inspector shows.

use super::infomask::{HEAP_HOT_UPDATED, HEAP_ONLY_TUPLE, HEAP_XMAX_IS_MULTI, INFOMASK, INFOMASK2};
use super::{HeapTuple, HeapTupleHeaderData, TupleState, XactStatus};
use crate::datum::{self, Attribute};
use crate::page::{Bit, Field, Page, PgVersion};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl HeapTuple {
    /// Every field of header and row with its bytes: header fields, null bitmap, then the columns of `attributes`.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute], _version: PgVersion) -> Vec<Field> {
        let mut fields = self.header_fields(page);
        fields.extend(self.null_bitmap_field(page));
        let columns = self.columns(page, attributes);
        fields.extend(columns.iter().zip(attributes).map(|(datum, attribute)| datum.field(page, attribute)));
        fields
    }

    /// Where each column of `attributes` lies.
    #[must_use]
    pub fn columns(&self, page: &Page, attributes: &[Attribute]) -> Vec<datum::Datum> {
        datum::deform(page, self.data(), page.slice(self.null_bitmap()), self.natts(), attributes)
    }

    fn header_fields(&self, page: &Page) -> Vec<Field> {
        let mut fields = HeapTupleHeaderData::new(page.slice(self.bytes.clone())).fields(self.bytes.start);
        for field in &mut fields {
            match field.name.as_str() {
                "t_xmin" => field.meaning = self.xmin_meaning(),
                "t_xmax" => field.meaning = self.xmax_meaning(),
                "t_ctid" => field.meaning = self.ctid_meaning(),
                "t_infomask2" => {
                    field.value = format!("{:#06x}", self.t_infomask2);
                    field.meaning = format!("{} attributes{}", self.natts(), self.chain_words());
                    field.bits = Bit::spell(self.t_infomask2, INFOMASK2);
                }
                "t_infomask" => {
                    field.value = format!("{:#06x}", self.t_infomask);
                    field.bits = Bit::spell(self.t_infomask, INFOMASK);
                }
                _ => {}
            }
        }
        fields
    }

    fn xmin_meaning(&self) -> String {
        let status = match self.xmin_status() {
            XactStatus::Frozen => "frozen: visible to all",
            XactStatus::Committed => "committed",
            XactStatus::Aborted => "aborted: this version never was",
            XactStatus::None | XactStatus::Unknown => "no hint bit yet: running, committed or aborted",
        };
        format!("inserting transaction; {status}")
    }

    fn xmax_meaning(&self) -> String {
        let who = if self.t_infomask & HEAP_XMAX_IS_MULTI != 0 { "multixact" } else { "transaction" };
        let what = match self.state() {
            TupleState::Locked => "locking",
            TupleState::Deleted => "deleting",
            _ => "updating",
        };
        match self.xmax_status() {
            XactStatus::None => "none: neither deleted, updated nor locked".to_string(),
            XactStatus::Aborted => format!("{who} that aborted, or only held a lock"),
            XactStatus::Committed | XactStatus::Frozen => format!("{what} {who}; committed"),
            XactStatus::Unknown => format!("{what} {who}; no hint bit yet: running, committed or aborted"),
        }
    }

    fn ctid_meaning(&self) -> String {
        if self.t_ctid == self.tid {
            return "itself: there is no later version".to_string();
        }
        match self.state() {
            TupleState::HotUpdated => {
                format!("the next version, in the same HOT chain: line pointer {}", self.t_ctid.offset)
            }
            TupleState::Updated => "the next version; index entries of its own lead there".to_string(),
            TupleState::MovedPartition => "the next version went to another partition".to_string(),
            _ => "a later version that never was, or is no longer known".to_string(),
        }
    }

    fn chain_words(&self) -> &'static str {
        match (self.t_infomask2 & HEAP_ONLY_TUPLE != 0, self.t_infomask2 & HEAP_HOT_UPDATED != 0) {
            (true, true) => ", heap-only, HOT-updated",
            (true, false) => ", heap-only",
            (false, true) => ", HOT-updated",
            (false, false) => "",
        }
    }

    fn null_bitmap_field(&self, page: &Page) -> Option<Field> {
        let bytes = self.null_bitmap();
        let bits: String = (page.slice(bytes.clone()).iter())
            .flat_map(|byte| (0..8).map(move |bit| if byte >> bit & 1 == 1 { '1' } else { '0' }))
            .collect();
        (!bits.is_empty()).then(|| Field::new("t_bits", bytes, bits, "null bitmap, a bit a column: 0 is NULL"))
    }
}
