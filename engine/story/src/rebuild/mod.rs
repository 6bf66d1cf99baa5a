//! Records rebuilt from what a server tells of them: `pg_walinspect` has neither their bytes nor their main data.
//!
//! ```text
//!  told      type, xid, lengths │ block references, images │ block data (16+) │ description: off: 3, flags: 0x08
//!               │                    │                          │                 │ parsed, and read back: it must say the same again
//!  rebuilt   header ────────── block headers ──────────── images, data ───── main data         what nobody told is zero, and noted
//! ```
//!
//! So a rebuilt record has the length of the real one, each part in its place, and is listed, explained, summed up and
//! replayed like any other; `Record::rebuilt` says which of its bytes are not known, and whether redo can do without
//! them.
//!
//! The same bytes, so that rows, totals, inspector, replay and recordings know one sort of record. Main data is read
//! back from its description, and described again it must say the same. Where redo would read bytes that nobody told,
//! the pages are measured: from 16 on those of a sequence's tuple, and which downlink `MARK_PAGE_HALFDEAD` takes off
//! the parent; 15 tells neither block data nor images. On the workloads of the tests 204,000 of 280,000 records are the
//! server's own to the last byte, CRC too (`tests/tests/wal_records/rebuilt.rs`).

mod assemble;
mod btree;
mod heap;
mod main_data;
#[cfg(test)]
mod tests;
mod told;
mod words;
mod xact;
mod xlog;

pub use told::{Data, Told, ToldBlock, ToldImage, parse_block_refs};

use super::describe::describe;
use alloc::format;
use alloc::string::String;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::record_type::SeqType;
use ffviz_format::wal::{Record, RecordType};
use main_data::Main;
use words::Words;

/// The record, as far as it is told.
///
/// # Errors
/// A sentence, where the lengths that are told do not fit together.
pub fn rebuild(told: &Told, version: PgVersion) -> Result<Record, String> {
    if told.main_data_length > told.length {
        return Err(format!("{} bytes of main data in a record of {}", told.main_data_length, told.length));
    }
    if let Some(main) = main(told, version) {
        let record = assemble::record(told, version, &main)?;
        // what was understood of the description must say the same
        if record.decode(version).is_ok_and(|decoded| describe(&decoded) == told.description) {
            return Ok(record);
        }
    }
    assemble::record(told, version, &Main::untold(&told.description))
}

/// Main data, as far as the description tells it; `None` where it tells nothing that is understood.
fn main(told: &Told, version: PgVersion) -> Option<Main> {
    if told.main_data_length == 0 {
        return Some(Main::default());
    }
    let words = Words(&told.description);
    let main = match told.record_type(version) {
        RecordType::Xlog(of) => xlog::xlog(words, of, version),
        RecordType::Xact(of) => xact::end(told, of, version),
        RecordType::Smgr(of) => xlog::storage(words, of),
        RecordType::Seq(SeqType::Log) => xlog::sequence(words),
        RecordType::Heap2(of) => heap::heap2(told, of, version),
        RecordType::Heap(of) => heap::heap(told, of, version),
        RecordType::Btree(of) => btree::btree(told, of, version),
        RecordType::MultiXact(_) | RecordType::Standby(_) | RecordType::Undo(_) | RecordType::Other(_) => None,
    }?;
    main.of_length(told.main_data_length as usize)
}
