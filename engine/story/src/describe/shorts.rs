//! Where the short headers stand that are no block references: origin, top-level xid, main data (`DecodeXLogRecord`).

use super::RecordPart;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::wal::{DecodedRecord, XLogRecord};

/// Each with its bytes, in the record's order. Of a record that was damaged one sort may be there several times.
pub(super) fn short_headers(record: &DecodedRecord<'_>) -> Vec<(RecordPart, Range<u32>)> {
    let end = record.headers_end;
    let mut at = XLogRecord::SIZE as u32;
    let mut found = Vec::new();
    while at < end {
        if let Some(block) = record.blocks.iter().find(|block| block.header.start == at && !block.header.is_empty()) {
            at = block.header.end;
            continue;
        }
        let (part, size) = match record.record.bytes.get(at as usize) {
            Some(255) => (RecordPart::MainData, 2),
            Some(254) => (RecordPart::MainData, 5),
            Some(253) => (RecordPart::Origin, 3),
            Some(252) => (RecordPart::ToplevelXid, 5),
            _ => (RecordPart::MainData, 1),
        };
        let next = at.saturating_add(size).min(end);
        found.push((part, at..next));
        at = next;
    }
    found
}

/// Where main data is: it ends the record.
pub(super) fn main_data_at(record: &DecodedRecord<'_>) -> Range<u32> {
    let end = record.record.bytes.len() as u32;
    end.saturating_sub(record.main_data.len() as u32)..end
}

/// Where a block reference's image header stands within its header: 5 bytes, or 7 with the length of a compressed
/// image's hole.
pub(crate) fn image_header_at(block: &ffviz_format::wal::BlockRef<'_>) -> Range<u32> {
    let start = block.header.start + 4;
    let size = block.image.map_or(0, |image| if image.compression.is_some() && image.hole_length > 0 { 7 } else { 5 });
    start..start + size
}
