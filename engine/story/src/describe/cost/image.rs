//! Why a full-page image is there, and how it became shorter than a page.

use super::Before;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::thousands;
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{BlockImage, BlockRef, DecodedRecord, RecordType};

/// `BLCKSZ`, which holes are counted from.
const PAGE: usize = 8192;

pub(super) fn why(record: &DecodedRecord<'_>, block: &BlockRef<'_>, image: &BlockImage<'_>, before: &Before) -> String {
    format!("{}; {}", size(image), reason(record, block, image, before))
}

/// `8,192 − hole 7,000, with a header of 5 bytes`
fn size(image: &BlockImage<'_>) -> String {
    let number = |n: usize| thousands(n as u64);
    let hole = usize::from(image.hole_length);
    let mut text = if hole == 0 {
        format!("the whole page of {}, no hole", number(PAGE))
    } else {
        format!("the page: {} − hole {}", number(PAGE), number(hole))
    };
    if let Some(method) = image.compression {
        let (from, to) = (number(PAGE.saturating_sub(hole)), number(image.bytes.len()));
        text += &format!(", compressed from {from} to {to} by {}", method.name());
    }
    let header = if image.compression.is_some() && hole > 0 { 7 } else { 5 };
    text + &format!(", with a header of {header} bytes")
}

fn reason(record: &DecodedRecord<'_>, block: &BlockRef<'_>, image: &BlockImage<'_>, before: &Before) -> String {
    if !image.apply {
        return "it is there only to check replay (wal_consistency_checking)".to_string();
    }
    match record.record_type() {
        RecordType::Xlog(XlogType::FpiForHint) => {
            return "hint bits were the page's first change since the checkpoint, and a torn page would not show with \
                    checksums or wal_log_hints on"
                .to_string();
        }
        RecordType::Xlog(XlogType::Fpi) => {
            return "the page was filled without records of its own and is logged whole".to_string();
        }
        _ => {}
    }
    match before.of(block) {
        (Some(redo), Some(lsn)) if lsn <= redo => format!(
            "the page's first change since the checkpoint: its LSN was {lsn}, not after the redo position {redo}. A crash may \
             tear the page on disk, and replay starts from the image instead"
        ),
        (Some(redo), Some(lsn)) => format!(
            "the page was changed since the checkpoint already (LSN {lsn}, redo position {redo}); a base backup, or \
             full_page_writes switched on, asks for an image all the same"
        ),
        _ => "full_page_writes: a page's first change after a checkpoint carries the whole page, since a crash may tear it on disk"
            .to_string(),
    }
}
