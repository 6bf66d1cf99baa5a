//! The text of a record, as `pg_waldump` and `pg_walinspect` of the major version print it
//! (src/backend/access/rmgrdesc).
//!
//! Labels and their order are PostgreSQL's, also where they read badly: people get `explain` and `headline`.

mod btree;
mod heap;
mod heap2;
mod standby;
mod xact;
mod xlog;

pub(super) use standby::message;
pub(super) use xact::stats_item;
pub(super) use xlog::restore_point;
pub(in super::super) use xlog::wal_level;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{Display, Write};
use ffviz_format::page::{BLCKSZ, PgVersion};
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::rec::{Part, other};
use ffviz_format::wal::record_type::{SeqType, SmgrType};
use ffviz_format::wal::{BlockImage, BlockTag, DecodedRecord, PG_DEFAULT, PG_GLOBAL, RecordType, RelFileLocator};

/// What the `description` of `pg_get_wal_records_info` says of the record, times in UTC; nothing for resource managers
/// that ffviz does not know.
#[must_use]
pub fn describe(record: &DecodedRecord<'_>) -> String {
    if let Some(told) = record.record.description() {
        return told.to_string();
    }
    match record.record_type() {
        RecordType::Xlog(of) => xlog::describe(record, of),
        RecordType::Xact(of) => xact::describe(record, of),
        RecordType::Smgr(of) => storage(record, of),
        RecordType::Standby(of) => standby::describe(record, of),
        RecordType::Heap2(of) => heap2::describe(record, of),
        RecordType::Heap(of) => heap::describe(record, of),
        RecordType::Btree(of) => btree::describe(record, of),
        RecordType::Seq(SeqType::Log) => format!("rel {}", other::XlSeqRec::new(record.main_data).locator()),
        RecordType::MultiXact(_) | RecordType::Undo(_) | RecordType::Other(_) => String::new(),
    }
}

/// The pages that a record is about, and what images of them it brings, as `pg_get_wal_records_info` has them
/// (`XLogRecGetBlockRefInfo`, src/backend/access/rmgrdesc/xlogrecorddesc.c).
#[must_use]
pub fn block_refs(record: &DecodedRecord<'_>) -> String {
    let refs = record.blocks.iter().map(|block| {
        let BlockTag { locator, fork, block: number } = block.tag;
        let image = block.image.map(image_info).unwrap_or_default();
        // the blank stands before all but the first page, also where that is missing
        let gap = if block.id == 0 { "" } else { " " };
        format!("{gap}blkref #{}: rel {locator} fork {} blk {number}{image}", block.id, fork.name())
    });
    refs.collect()
}

fn image_info(image: BlockImage<'_>) -> String {
    let purpose = if image.apply { "" } else { " for WAL verification" };
    let hole = format!(" (FPW{purpose}); hole: offset: {}, length: {}", image.hole_offset, image.hole_length);
    let Some(method) = image.compression else { return hole };
    let saved = usize::from(BLCKSZ - image.hole_length) - image.bytes.len();
    format!("{hole}, compression saved: {saved}, method: {}", method.name())
}

/// `smgr_desc`
fn storage(record: &DecodedRecord<'_>, of: SmgrType) -> String {
    let path = |locator, fork| relation_path(locator, fork, record.version);
    match of {
        SmgrType::Create => {
            let create = other::XlSmgrCreate::new(record.main_data);
            path(create.rlocator(), create.forkNum())
        }
        SmgrType::Truncate => {
            let truncate = other::XlSmgrTruncate::new(record.main_data);
            let (blocks, flags) = (truncate.blkno(), truncate.flags());
            format!("{} to {blocks} blocks flags {flags}", path(truncate.rlocator(), 0))
        }
    }
}

/// File of a relation's fork below the data directory (`relpathperm`).
pub(super) fn relation_path(locator: RelFileLocator, fork: i32, version: PgVersion) -> String {
    let RelFileLocator { spc, db, rel } = locator;
    let fork = match fork {
        1 => "_fsm",
        2 => "_vm",
        3 => "_init",
        _ => "",
    };
    match spc {
        PG_GLOBAL => format!("global/{rel}{fork}"),
        PG_DEFAULT => format!("base/{db}/{rel}{fork}"),
        _ => format!("pg_tblspc/{spc}/PG_{}_{}/{db}/{rel}{fork}", version.major(), version.catalog_version()),
    }
}

/// `[1, 2, 3]` (`array_desc`)
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (n, item) in items.into_iter().enumerate() {
        // writing to a String cannot fail
        let _ = write!(text, "{}{item}", if n == 0 { "" } else { ", " });
    }
    text + "]"
}

/// The elements of an array, each after a space.
fn spaced<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().fold(String::new(), |text, item| text + " " + &item.to_string())
}

/// A list of line pointers.
fn offsets(part: &Part<'_>) -> String {
    list(part.values::<u16>())
}

/// Since 16 descriptions are written `key: value, key: value`.
const fn has_keys(record: &DecodedRecord<'_>) -> bool {
    record.version.describes_by_keys()
}

const fn true_or_false(is: bool) -> char {
    if is { 'T' } else { 'F' }
}

/// The checkpoint of a checkpoint record.
const fn checkpoint<'a>(record: &DecodedRecord<'a>) -> CheckPoint<'a> {
    CheckPoint::new(record.main_data)
}
