//! Which version of a row a snapshot sees: the row itself, or what its undo records make of it.
//!
//! ```text
//!  row ─ item ─▶ xid ─ seen? ─▶ this version
//!                      not seen ─▶ the newest undo record of xid about the row ─▶ old values, and who made them ─▶ seen? …
//! ```

use crate::storage::{Buffer, CommandId, Instance, MvccSnapshot, RelationData};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer, LpFlags, OffsetNumber, TransactionId};
use ffviz_format::undo::{
    ItemXact, UNDO_DELETE, UNDO_INSERT, UNDO_UPDATE, UndoPage, UndoRecPtr, UndoRecord, row_is_deleted, row_xact,
    set_row_deleted, tuple_of,
};

/// No chain of undo records is longer, unless it is damaged.
const LONGEST: usize = 1_000_000;

/// The version of a row that a snapshot sees, as a heap tuple; `None` where it sees none.
#[must_use]
pub fn undo_version(pg: &Instance, rel: &RelationData, tid: ItemPointer, snapshot: &MvccSnapshot) -> Option<Vec<u8>> {
    seen(pg, rel, tid, snapshot).map(|(row, _)| tuple_of(&row))
}

/// Who made that version; 0: everybody sees it.
#[must_use]
pub fn undo_version_xid(pg: &Instance, rel: &RelationData, tid: ItemPointer, snapshot: &MvccSnapshot) -> TransactionId {
    seen(pg, rel, tid, snapshot).map_or(0, |(_, xid)| xid)
}

/// Does the snapshot see a version of the row?
#[must_use]
pub fn undo_sees(pg: &Instance, rel: &RelationData, tid: ItemPointer, snapshot: &MvccSnapshot) -> bool {
    seen(pg, rel, tid, snapshot).is_some()
}

/// The newest version, as a heap tuple, unless it is deleted.
#[must_use]
pub fn undo_newest(pg: &Instance, rel: &RelationData, tid: ItemPointer) -> Option<Vec<u8>> {
    let (row, _) = row_of_page(pg, rel, tid)?;
    (!row_is_deleted(&row)).then(|| tuple_of(&row))
}

/// Who changed the newest version; 0: everybody sees it.
#[must_use]
pub fn undo_newest_xid(pg: &Instance, rel: &RelationData, tid: ItemPointer) -> TransactionId {
    row_of_page(pg, rel, tid).map_or(0, |(_, item)| item.xid)
}

/// The rows of a page of which the snapshot sees a version.
#[must_use]
pub fn undo_visible_rows(
    pg: &Instance,
    rel: &RelationData,
    block: BlockNumber,
    snapshot: &MvccSnapshot,
) -> Vec<OffsetNumber> {
    let rows = line_pointers(pg, rel, block);
    rows.into_iter().filter(|n| undo_sees(pg, rel, ItemPointer { block, offset: *n }, snapshot)).collect()
}

/// What an index that is made gets of a page: each row as it is now, as a heap tuple, and whether it is alive. Old
/// versions have the same keys.
#[must_use]
pub fn undo_build_rows(pg: &Instance, rel: &RelationData, block: BlockNumber) -> Vec<(ItemPointer, Vec<u8>, bool)> {
    let rows = line_pointers(pg, rel, block).into_iter().map(|offset| ItemPointer { block, offset });
    let row = |tid| row_of_page(pg, rel, tid).map(|(row, _)| (tid, tuple_of(&row), !row_is_deleted(&row)));
    rows.filter_map(row).collect()
}

/// Is a row there, as a unique index asks, and who is changing it?
#[must_use]
pub fn undo_fetch_check(pg: &Instance, rel: &RelationData, tid: ItemPointer) -> (bool, Option<TransactionId>) {
    let Some((row, item)) = row_of_page(pg, rel, tid) else { return (false, None) };
    let is_running = pg.transam.is_in_progress(item.xid) && !pg.is_current_xid(item.xid);
    (is_running || !row_is_deleted(&row), is_running.then_some(item.xid))
}

/// The command of the running transaction that changed the row last, by the item that the row names.
pub(super) fn own_change_cid(pg: &Instance, item: ItemXact, tid: ItemPointer) -> Option<CommandId> {
    newest_about(pg, item.undo, tid).map(|record| record.cid)
}

/// An undo record by its address.
pub(super) fn record_at(pg: &Instance, address: UndoRecPtr) -> Option<UndoRecord> {
    let file = pg.undo.file.filter(|_| !address.is_none())?;
    let page = pg.buffers.page(Buffer::main(file, address.block()));
    UndoRecord::decode(UndoPage::of(page).item(OffsetNumber(address.item()))?)
}

fn line_pointers(pg: &Instance, rel: &RelationData, block: BlockNumber) -> Vec<OffsetNumber> {
    let view = UndoPage::of(pg.buffers.page(Buffer::main(rel.file, block)));
    let normal = view.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal);
    normal.map(|(n, _)| n).collect()
}

/// The row as it is on its page, and the transaction that changed it last.
fn row_of_page(pg: &Instance, rel: &RelationData, tid: ItemPointer) -> Option<(Vec<u8>, ItemXact)> {
    let view = UndoPage::of(pg.buffers.page(Buffer::main(rel.file, tid.block)));
    let row = view.item(tid.offset)?;
    Some((row.to_vec(), view.xact(row_xact(row).into()).unwrap_or_default()))
}

/// The version that the snapshot sees, and who made it.
fn seen(
    pg: &Instance,
    rel: &RelationData,
    tid: ItemPointer,
    snapshot: &MvccSnapshot,
) -> Option<(Vec<u8>, TransactionId)> {
    let (mut row, mut item) = row_of_page(pg, rel, tid)?;
    for _ in 0..LONGEST {
        let is_own = pg.is_current_xid(item.xid);
        if !is_own && (item.xid == 0 || !pg.in_snapshot(item.xid, snapshot) && pg.transam.did_commit(item.xid)) {
            break;
        }
        let record = newest_about(pg, item.undo, tid)?;
        if is_own && record.cid < snapshot.curcid {
            break;
        }
        match record.kind {
            UNDO_INSERT => return None,
            UNDO_UPDATE => record.values.apply(&mut row).ok()?,
            UNDO_DELETE => set_row_deleted(&mut row, false),
            _ => return None,
        }
        item = ItemXact { xid: record.old_xid, undo: record.old_undo };
    }
    (!row_is_deleted(&row)).then_some((row, item.xid))
}

/// From an undo record of a transaction about a page, the newest one about the row.
fn newest_about(pg: &Instance, mut address: UndoRecPtr, tid: ItemPointer) -> Option<UndoRecord> {
    for _ in 0..LONGEST {
        let record = record_at(pg, address)?;
        if record.offset == tid.offset && record.block == tid.block {
            return Some(record);
        }
        address = record.prev;
    }
    None
}
