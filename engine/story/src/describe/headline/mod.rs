//! One plain line for a record in a list.

mod btree;
mod heap;
mod other;
mod undo;

use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::{ForkNumber, ItemPointer, OffsetNumber};
use ffviz_format::wal::{BlockRef, DecodedRecord, Rmgr};

/// What the record did, in a line: `HOT UPDATE (0,1) → (0,2)`, `COMMIT`, `checkpoint, redo at 0/1A2B3C8`.
#[must_use]
pub fn headline(record: &DecodedRecord<'_>) -> String {
    if let Some(told) = record.record.description() {
        return format!("{} {told}", record.type_name()).trim_end().to_string();
    }
    let text = match record.rmgr() {
        Rmgr::XLOG => other::xlog(record),
        Rmgr::TRANSACTION => other::transaction(record),
        Rmgr::STORAGE => other::storage(record),
        Rmgr::STANDBY => other::standby(record),
        Rmgr::HEAP2 => heap::heap2(record),
        Rmgr::HEAP => heap::heap(record),
        Rmgr::BTREE => btree::headline(record),
        Rmgr::SEQUENCE => other::sequence(record),
        Rmgr::UNDO => undo::undo(record),
        _ => String::new(),
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
