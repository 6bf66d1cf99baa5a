//! "Why this many bytes?": a record's parts with their bytes, which add up to `xl_tot_len`, and what was saved
//! (`XLogRecordAssemble`, src/backend/access/transam/xloginsert.c).

mod data;
mod image;
mod main;

use super::RecordPart;
use super::shorts::{image_header_at, main_data_at, short_headers};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::Lsn;
use ffviz_format::wal::{BlockRef, DecodedRecord, XLogRecord};

/// A part of a record: how many bytes, where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// which part
    pub part: RecordPart,
    /// id of the block reference that it belongs to
    pub block: Option<u8>,
    /// how many bytes
    pub bytes: u32,
    /// where they are in the record: headers stand before all contents, so that a part may be in two places
    pub at: Vec<Range<u32>>,
    /// why these bytes, and what was saved; a sentence or more
    pub why: String,
}

/// What is known of the time before the record; words say more where more is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Before {
    /// redo position of the last checkpoint that began before the record
    pub redo: Option<Lsn>,
    /// `pd_lsn` that pages had before the record, by id of the block reference
    pub page_lsn: Vec<(u8, Lsn)>,
}

impl Before {
    fn of(&self, block: &BlockRef<'_>) -> (Option<Lsn>, Option<Lsn>) {
        (self.redo, self.page_lsn.iter().find(|(id, _)| *id == block.id).map(|(_, lsn)| *lsn))
    }
}

/// The parts of the record: header, each block reference with its image and data, then the rest.
#[must_use]
pub fn cost(record: &DecodedRecord<'_>, before: &Before) -> Vec<Share> {
    let end = record.record.bytes.len() as u32;
    let header = 0..(XLogRecord::SIZE as u32).min(end);
    let words = "every record has it: length, transaction, where the record before starts, type, checksum";
    let mut shares = Vec::from([share(RecordPart::Header, None, [header], words.to_string())]);
    for block in &record.blocks {
        shares.extend(block_shares(record, block, before));
    }
    shares.extend(rest(record));
    shares.retain(|share| share.bytes > 0);
    shares
}

/// The same without words, for whoever counts many: record header, block references, full-page images with their
/// headers, block data, and the rest, which is main data with its header, origin and top-level xid. Together they are
/// `xl_tot_len`.
#[must_use]
pub fn spent(record: &DecodedRecord<'_>) -> [u64; 5] {
    let total = record.record.bytes.len() as u64;
    let header = total.min(XLogRecord::SIZE as u64);
    let sum = |range: fn(&BlockRef<'_>) -> Range<u32>| -> u64 {
        record.blocks.iter().map(range).map(|range| u64::from(range.end.saturating_sub(range.start))).sum()
    };
    let image_headers = sum(image_header_at);
    let references = sum(|block| block.header.clone()).saturating_sub(image_headers);
    let images = sum(|block| block.image_at.clone()) + image_headers;
    let data = sum(|block| block.data_at.clone());
    [header, references, images, data, total.saturating_sub(header + references + images + data)]
}

fn share<const N: usize>(part: RecordPart, block: Option<u8>, at: [Range<u32>; N], why: String) -> Share {
    let at: Vec<Range<u32>> = at.into_iter().filter(|range| !range.is_empty()).collect();
    Share { part, block, bytes: at.iter().map(|range| range.end - range.start).sum(), at, why }
}

fn block_shares(record: &DecodedRecord<'_>, block: &BlockRef<'_>, before: &Before) -> [Share; 3] {
    let id = Some(block.id);
    let image_header = image_header_at(block);
    let reference = [block.header.start..image_header.start, image_header.end..block.header.end];
    let image = block.image.map_or_else(String::new, |image| image::why(record, block, &image, before));
    [
        share(RecordPart::BlockReference, id, reference, reference_words(block, before)),
        share(RecordPart::Image, id, [image_header, block.image_at.clone()], image),
        share(RecordPart::BlockData, id, [block.data_at.clone()], data::why(record, block)),
    ]
}

/// Which page, and how it is named in few bytes.
fn reference_words(block: &BlockRef<'_>, before: &Before) -> String {
    let (tag, fork) = (&block.tag, block.tag.fork);
    let mut text = format!("names the page: block {} of the {} fork", tag.block, fork.name());
    text += if block.same_rel {
        ", same relation as the reference before, so the relation's 12 bytes are saved"
    } else {
        ", 12 of the bytes name the relation"
    };
    if block.will_init {
        text += "; replay makes the page anew, so that it never needs an image";
    } else if block.image.is_none()
        && let (Some(redo), Some(lsn)) = before.of(block)
        && lsn > redo
    {
        text += &format!(
            "; no image is needed: the page's LSN {lsn}, the end of its last record, is after the checkpoint's redo position {redo}, \
             so an image since then is in the WAL"
        );
    }
    text
}

/// Origin, top-level xid, main data.
fn rest(record: &DecodedRecord<'_>) -> Vec<Share> {
    let headers = short_headers(record);
    let mut shares = Vec::new();
    for (part, at) in headers.iter().filter(|(part, _)| *part != RecordPart::MainData) {
        let why = match part {
            RecordPart::Origin => "the replication origin: the change came from another server",
            _ => "the top-level transaction, in a subtransaction's first record, because wal_level is logical",
        };
        shares.push(share(*part, None, [at.clone()], why.to_string()));
    }
    let mut at: Vec<Range<u32>> =
        headers.into_iter().filter(|(part, _)| *part == RecordPart::MainData).map(|(_, at)| at).collect();
    let header = at.iter().map(|at| at.end - at.start).sum();
    at.push(main_data_at(record));
    at.retain(|range| !range.is_empty());
    let bytes = at.iter().map(|range| range.end - range.start).sum();
    shares.push(Share { part: RecordPart::MainData, block: None, bytes, at, why: main::why(record, header) });
    shares
}
