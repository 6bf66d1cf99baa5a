//! The key of an index tuple: which columns it has, and as text (`index_deform_tuple`,
//! src/backend/access/common/indextuple.c).
//!
//! A pivot tuple has only as many key columns as it takes to tell its neighbours apart. The others are truncated: they
//! count as less than every value, which is written `-inf`. Where all key columns are equal on both sides, the heap TID
//! is one more key column.

use super::IndexTuple;
use crate::datum::{self, Attribute, Datum, Storage};
use crate::page::Page;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl IndexTuple {
    /// Where each column of the index lies; those that a pivot tuple does not have are `Storage::Missing`.
    #[must_use]
    pub fn columns(&self, page: &Page, attributes: &[Attribute]) -> Vec<Datum> {
        let nulls = self.null_bitmap().unwrap_or_default();
        let stored = self.n_keys().unwrap_or(u16::MAX);
        datum::deform(page, self.key.clone(), page.slice(nulls), stored, attributes)
    }

    /// The key as text: `(42)`, `(abc, NULL)`. Truncated key columns of a pivot tuple are `-inf`; its heap TID follows,
    /// where it has one: `(42, -inf)`, `(42) TID (0,7)`. INCLUDE columns, those after the first `n_keys`, follow a leaf
    /// tuple's key: `(42) INCLUDE (abc)`.
    #[must_use]
    pub fn key_text(&self, page: &Page, attributes: &[Attribute], n_keys: u16) -> String {
        let columns = self.columns(page, attributes);
        let texts: Vec<String> = columns.iter().zip(attributes).map(|(c, a)| column_text(c, page, a)).collect();
        let (keys, included) = texts.split_at(texts.len().min(usize::from(n_keys)));
        let mut key = format!("({})", keys.join(", "));
        if self.n_keys().is_some() {
            key.extend(self.heap_tids().iter().map(|tid| format!(" TID {tid}")));
        } else if !included.is_empty() {
            key += &format!(" INCLUDE ({})", included.join(", "));
        }
        key
    }
}

/// A column's value, or `-inf` where it was truncated.
pub(super) fn column_text(column: &Datum, page: &Page, attribute: &Attribute) -> String {
    if column.storage == Storage::Missing { "-inf".to_string() } else { column.text(page, attribute) }
}
