//! The page of a sequence: a heap page with one tuple, and a magic number as special space
//! (src/backend/commands/sequence.c).

use super::HeapPage;
use crate::page::kind::SequenceMagic;
use crate::page::layout::c_struct;
use crate::page::{Field, OffsetNumber, Page};
use alloc::format;
use alloc::vec::Vec;

c_struct! {
    /// `FormData_pg_sequence_data`: the columns of the only row.
    pub struct SequenceData, 17 {
        /// the value that nextval returned last, or will return next when is_called is false
        0 => last_value: i64,
        /// values that can still be fetched before the next WAL record
        8 => log_cnt: i64,
        /// was last_value returned already?
        16 => is_called: bool,
    }
}

impl HeapPage {
    /// The row of a sequence's page; `None` where line pointer 1 leads to no tuple.
    #[must_use]
    pub fn sequence<'a>(&self, page: &'a Page) -> Option<SequenceData<'a>> {
        Some(SequenceData::new(page.slice(self.tuple(OffsetNumber(1))?.data())))
    }
}

/// The special space of a sequence's page.
#[must_use]
pub fn special_fields(page: &Page) -> Vec<Field> {
    let at = page.special_start();
    let special = SequenceMagic::new(page.slice(at..page.size()));
    let hex = format!("{:#06x}", special.magic());
    special.fields(at).into_iter().map(|field| Field { value: hex.clone(), ..field }).collect()
}
