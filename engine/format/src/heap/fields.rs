//! A tuple field by field, with its bytes and what each value means here: what the inspector shows.

use super::infomask::{INFOMASK, INFOMASK2};
use super::{HeapTuple, HeapTupleHeaderData};
use crate::datum::{self, Attribute};
use crate::page::{Bit, Field, Page};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl HeapTuple {
    /// Every field of header and row with its bytes: header fields, null bitmap, then the columns of `attributes`.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute]) -> Vec<Field> {
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
                "t_field3" => field.meaning = self.cid_meaning().to_string(),
                "t_ctid" => field.meaning = self.ctid_meaning(),
                "t_hoff" => field.meaning = format!("the columns begin {} bytes into the tuple", self.t_hoff),
                "t_infomask2" => {
                    field.value = format!("{:#06x}", self.t_infomask2);
                    field.meaning = self.infomask2_meaning();
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

    fn null_bitmap_field(&self, page: &Page) -> Option<Field> {
        let bytes = self.null_bitmap();
        let bits: String = (page.slice(bytes.clone()).iter())
            .flat_map(|byte| (0..8).map(move |bit| if byte >> bit & 1 == 1 { '1' } else { '0' }))
            .collect();
        (!bits.is_empty()).then(|| Field::new("t_bits", bytes, bits, "null bitmap, a bit a column: 0 is NULL"))
    }
}
