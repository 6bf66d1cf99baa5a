//! Every byte of a record: field, value, meaning. The fields follow one another and cover the record.

mod block;
mod btree;
mod fields;
mod heap;
mod main;
mod undo;
mod xact;

use super::shorts::{main_data_at, short_headers};
use super::{RecordPart, flags};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::{Bit, Lsn};
use ffviz_format::wal::{DecodedRecord, XLogRecord};
use fields::Fields;

/// One field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordField {
    /// which part of the record it is in
    pub part: RecordPart,
    /// id of the block reference that it belongs to
    pub block: Option<u8>,
    /// PostgreSQL's name of a struct member, or what stands there
    pub name: String,
    /// where in the record, in bytes
    pub bytes: Range<u32>,
    /// the value as text
    pub value: String,
    /// what it means here, a sentence or less
    pub meaning: String,
    /// the bits of a flag word, set or not
    pub bits: Vec<Bit>,
    /// is it row data? Then it is hidden by `--redact`
    pub is_data: bool,
}

/// Every field of the record, in order of their bytes.
#[must_use]
pub fn explain(record: &DecodedRecord<'_>) -> Vec<RecordField> {
    let mut all = header(record);
    for block in &record.blocks {
        all.extend(block::explain(record, block));
    }
    for (part, at) in short_headers(record) {
        all.extend(short_header(record, part, &at));
    }
    all.extend(main::explain(record));
    let mut all = fields::tile(record, all);
    all.iter_mut().for_each(|field| mark_untold(record, field));
    all
}

/// Bytes of a record that was rebuilt, and that nobody told, are no zeros.
fn mark_untold(record: &DecodedRecord<'_>, field: &mut RecordField) {
    let Some(rebuilt) = record.record.rebuilt.as_ref().filter(|_| !record.record.is_told(&field.bytes)) else { return };
    let is_whole = |untold: &Range<u32>| untold.start <= field.bytes.start && field.bytes.end <= untold.end;
    if rebuilt.untold.iter().any(is_whole) {
        field.value = String::from("not told");
        field.bits.clear();
    } else {
        field.value += " (not told as a whole)";
    }
}

/// `XLogRecord`
fn header(record: &DecodedRecord<'_>) -> Vec<RecordField> {
    let header = record.record.header();
    let mut fields = Fields::new(RecordPart::Header, None, 0, record.record.bytes);
    fields.structure(0, XLogRecord::SIZE, header.fields(0));
    fields.mean("xl_tot_len", |_| {
        format!(
            "length of the whole record; in the WAL it takes {} with what aligns the next",
            aligned(header.xl_tot_len())
        )
    });
    if header.xl_xid() == 0 {
        fields.mean("xl_xid", |_| String::from("no transaction: it had no xid when it wrote this"));
    }
    fields.show("xl_prev", format!("{}", Lsn(header.xl_prev())));
    let (info, name) = (header.xl_info(), record.type_name());
    fields.show("xl_info", format!("{info:#04x}"));
    fields.mean("xl_info", |_| format!("its high half says {name}"));
    fields.spell("xl_info", info, flags::RECORD);
    let rmgr = record.rmgr().name();
    fields.mean("xl_rmid", |_| format!("resource manager {rmgr}"));
    fields.show("xl_crc", format!("{:#010x}", header.xl_crc()));
    if !record.record.is_crc_right() {
        fields.mean("xl_crc", |_| String::from("CRC-32C; it does not fit the bytes"));
    }
    fields.done()
}

fn aligned(length: u32) -> u64 {
    u64::from(length).next_multiple_of(8)
}

/// Main data's length, origin, top-level xid.
fn short_header(record: &DecodedRecord<'_>, part: RecordPart, at: &Range<u32>) -> Vec<RecordField> {
    let bytes = record.record.bytes.get(at.start as usize..at.end as usize).unwrap_or(&[]);
    let mut fields = Fields::new(part, None, at.start, bytes);
    let id = bytes.first().copied().unwrap_or(0);
    let (name, meaning) = match id {
        255 => ("XLR_BLOCK_ID_DATA_SHORT", "main data's length follows in 1 byte"),
        254 => ("XLR_BLOCK_ID_DATA_LONG", "main data's length follows in 4 bytes"),
        253 => ("XLR_BLOCK_ID_ORIGIN", "the replication origin follows"),
        252 => ("XLR_BLOCK_ID_TOPLEVEL_XID", "the top-level transaction follows"),
        _ => ("id", "not an id that is known"),
    };
    fields.value::<u8>(0, name, meaning);
    match id {
        255 => fields.value::<u8>(1, "main_data_len", "bytes of main data, at the record's end"),
        254 => fields.value::<u32>(1, "main_data_len", "bytes of main data, at the record's end"),
        253 => fields.value::<u16>(1, "record_origin", "number of the server that the change came from"),
        252 => fields.value::<u32>(1, "toplevel_xid", "transaction that the subtransaction belongs to"),
        _ => {}
    }
    fields.done()
}

/// The bytes of main data and where they are.
fn main_fields<'a>(record: &DecodedRecord<'a>) -> Fields<'a> {
    Fields::new(RecordPart::MainData, None, main_data_at(record).start, record.main_data)
}
