//! ROLLBACK: the undo records of what aborts, newest first, are put back into the rows, and each time the WAL says so.
//!
//! ```text
//!  undo page n ─▶ … ─▶ undo page 1        row: old values, old transaction item
//!  record k ◀── … ◀── record 1            page's item: the record before, or free
//! ```

use super::version::record_at;
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::{Buffer, Instance, Registered};
use alloc::vec::Vec;
use ffviz_format::page::{OffsetNumber, TransactionId};
use ffviz_format::undo::{ItemXact, UndoPage, UndoRecPtr, UndoRecord};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::undo::{XLU_TAIL, XlUndoRollback};
use ffviz_format::wal::record_type::UndoType;

/// Takes back what these transactions or subtransactions of the running session have done.
pub fn undo_rollback(pg: &mut Instance, xids: &[TransactionId]) {
    let Some(owner) = pg.backend().top_xid() else { return };
    let pages: Vec<_> = pg.undo.pages_of(owner).iter().rev().copied().collect();
    for block in pages {
        let Some(file) = pg.undo.file else { return };
        let count = UndoPage::of(pg.buffers.page(Buffer::main(file, block))).item_count();
        for n in (1..=count).rev() {
            if let Some(record) = record_at(pg, UndoRecPtr::new(block, n)).filter(|record| xids.contains(&record.xid)) {
                take_back(pg, &record);
            }
        }
    }
}

/// Puts one record back.
fn take_back(pg: &mut Instance, record: &UndoRecord) {
    let Some(file) = pg.buffers.find(record.locator) else { return };
    let buf = Buffer::main(file, record.block);
    let page = pg.buffers.page_dirtied(buf);
    let Some(n) = UndoPage::of(page).xacts().find(|(_, item)| item.xid == record.xid).map(|(n, _)| n) else { return };
    // an item that has gone to another transaction meanwhile was one that everybody sees
    let is_same = |old: ItemXact| record.old_xid != 0 && old.xid == record.old_xid;
    let old_xact =
        if UndoPage::of(page).xact(record.old_xact.into()).is_some_and(is_same) { record.old_xact } else { 0 };
    let OffsetNumber(offnum) = record.offset;
    let flags = if record.values.is_tail { XLU_TAIL } else { 0 };
    let main = XlUndoRollback::make(offnum, n as u8, old_xact, record.kind, flags, record.prev.0);
    // what was there has its place still
    if UndoPage::take_back(page, record.kind, record.offset, &record.values, n, record.prev, old_xact).is_err() {
        return;
    }
    let mut values = Vec::new();
    record.values.encode(&mut values);
    let data = [&values[..]];
    let block = Registered { id: 0, buf, flags: REGBUF_STANDARD, data: &data, sets_lsn: true };
    pg.xlog_insert(Rmgr::UNDO, UndoType::Rollback.info(), &[&main], &[block]);
}
