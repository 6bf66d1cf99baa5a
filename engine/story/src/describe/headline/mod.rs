//! One plain line for a record in a list.

mod btree;
mod heap;
mod other;
mod undo;

use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::{ForkNumber, ItemPointer, OffsetNumber};
use ffviz_format::wal::record_type::SeqType;
use ffviz_format::wal::{BlockRef, DecodedRecord, RecordType};

/// What the record did, in a line: `HOT UPDATE (0,1) → (0,2)`, `COMMIT`, `checkpoint, redo at 0/1A2B3C8`.
#[must_use]
pub fn headline(record: &DecodedRecord<'_>) -> String {
    if let Some(told) = record.record.description() {
        return format!("{} {told}", record.type_name()).trim_end().to_string();
    }
    let text = match record.record_type() {
        RecordType::Xlog(of) => other::xlog(record, of),
        RecordType::Xact(of) => other::transaction(record, of),
        RecordType::Smgr(of) => other::storage(record, of),
        RecordType::Standby(of) => other::standby(record, of),
        RecordType::Heap2(of) => heap::heap2(record, of),
        RecordType::Heap(of) => heap::heap(record, of),
        RecordType::Btree(of) => btree::headline(record, of),
        RecordType::Seq(SeqType::Log) => other::sequence(record),
        RecordType::Undo(of) => undo::undo(record, of),
        RecordType::MultiXact(_) | RecordType::Other(_) => String::new(),
    };
    if text.is_empty() { format!("{} {}", record.rmgr().name(), record.type_name()) } else { text }
}

/// The line pointer of a page that a block reference names; `(?,7)` where it is missing.
fn tid(block: Option<&BlockRef<'_>>, offset: u16) -> String {
    match block {
        Some(block) => format!("{}", ItemPointer { block: block.tag.block, offset: OffsetNumber(offset) }),
        None => format!("(?,{offset})"),
    }
}

/// `block 3`, `block 0 of the visibility map`; `a block` where it is missing.
fn block_word(block: Option<&BlockRef<'_>>) -> String {
    let Some(BlockRef { tag, .. }) = block else { return String::from("a block") };
    let fork = match tag.fork {
        ForkNumber::Main => "",
        ForkNumber::Fsm => " of the free space map",
        ForkNumber::Vm => " of the visibility map",
        ForkNumber::Init => " of the init fork",
    };
    format!("block {}{fork}", tag.block)
}
