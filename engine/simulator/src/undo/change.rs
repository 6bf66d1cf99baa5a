//! INSERT, UPDATE and DELETE: the undo record, the row and the transaction item change together, and one WAL record
//! says so.
//!
//! ```text
//!  may the row be changed? ─▶ its transaction item ─▶ place for the undo record ─▶ page, undo page ─▶ record
//! ```

use super::items::{TakenXact, find_xact, require_xact};
use super::refuse;
use super::segment::{UndoPlace, place_record};
use super::version::own_change_cid;
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{
    BLCKSZ, Buffer, CommandId, Instance, MvccSnapshot, Outcome, Registered, RelationData, Stop, WaitFor,
};
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemIdData, ItemPointer, OffsetNumber};
use ffviz_format::undo::{
    ItemXact, ItemXactData, Pieces, UNDO_DELETE, UNDO_HEADER_SIZE, UNDO_INSERT, UNDO_UPDATE, UndoPage, UndoRecPtr,
    UndoRecord, XactChange, changed_pieces, row_is_deleted, row_of, row_xact, set_row_deleted, set_row_xact, tuple_of,
};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::undo::{
    XLOG_UNDO_INIT_PAGE, XLU_BEGINS, XLU_TAIL, XLU_XACT_ADDED, XLU_XACT_REUSED, XlUndoBegin, XlUndoChange,
};
use ffviz_format::wal::record_type::UndoType;

/// What became of a row that was to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoChange {
    /// it is changed
    Done,
    /// another transaction, which the snapshot does not see, has changed it and committed
    Changed,
    /// the command, or a later one of the transaction, has changed it already
    OwnChange,
    /// it is deleted
    Gone,
}

/// A change, once it is known what it is.
struct Change<'a> {
    rel: &'a RelationData,
    tid: ItemPointer,
    kind: u8,
    /// `xl_info`
    info: u8,
    taken: TakenXact,
    /// who made the version before, and the row's item then
    old: (ItemXact, u8),
    /// old values
    undo: Pieces,
    /// what the WAL says of the row: all of it, or new values
    redo: Vec<u8>,
    redo_is_tail: bool,
    /// is the page made anew?
    init: bool,
}

/// Where a row changes, what it is, and who changed it last.
struct Found {
    buf: Buffer,
    row: Vec<u8>,
    item: ItemXact,
}

/// INSERT. Gives the row's place.
///
/// # Errors
/// A row that no page has room for.
pub fn undo_insert(pg: &mut Instance, rel: &RelationData, tuple: &FormedTuple, cid: CommandId) -> Outcome<ItemPointer> {
    let xid = pg.current_xid();
    let row = row_of(tuple, 0);
    let needed = row.len() + ItemIdData::SIZE;
    if needed > usize::from(BLCKSZ - UNDO_HEADER_SIZE) - ItemXactData::SIZE {
        return refuse("a row longer than a page");
    }
    let (buf, taken, init) = page_for(pg, rel, needed as u16)?;
    let n = OffsetNumber(UndoPage::of(pg.buffers.page(buf)).item_count() + 1);
    let change = Change {
        rel,
        tid: ItemPointer { block: buf.block, offset: n },
        kind: UNDO_INSERT,
        info: UndoType::Insert.info() | if init { XLOG_UNDO_INIT_PAGE } else { 0 },
        taken,
        old: (ItemXact::default(), 0),
        undo: Pieces::default(),
        redo: row,
        redo_is_tail: false,
        init,
    };
    debug_assert_eq!(xid, pg.current_xid());
    make(pg, &change, cid, |page, row| UndoPage::add_item(page, row).map(drop))?;
    Ok(change.tid)
}

/// UPDATE. `since`: the snapshot that the new values were computed with; `None`: of the newest version.
///
/// # Errors
/// [`Stop::Wait`] for a transaction that has changed the row, or the page; what the model does not do.
pub fn undo_update(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    tuple: &FormedTuple,
    (cid, since): (CommandId, Option<&MvccSnapshot>),
) -> Outcome<UndoChange> {
    let found = match find(pg, rel, tid, cid, since)? {
        Ok(found) => found,
        Err(why) => return Ok(why),
    };
    let new = row_of(tuple, row_xact(&found.row));
    if changes_key(rel, &found.row, &new) {
        return refuse("an UPDATE that changes a column of an index");
    }
    let xid = pg.current_xid();
    let taken = require_xact(pg, found.buf, xid)?;
    if UndoPage::has_room_for(pg.buffers.page(found.buf), tid.offset, new.len(), taken.bytes()).is_err() {
        return refuse("a row that has become too long for its page");
    }
    let (old_values, new_values) = changed_pieces(&rel.desc, &found.row, &new);
    let mut redo = Vec::new();
    new_values.encode(&mut redo);
    let change = Change {
        rel,
        tid,
        kind: UNDO_UPDATE,
        info: UndoType::Update.info(),
        taken,
        old: older(&found, taken),
        undo: old_values,
        redo,
        redo_is_tail: new_values.is_tail,
        init: false,
    };
    make(pg, &change, cid, |page, _| {
        let mut row = found.row.clone();
        new_values.apply(&mut row)?;
        set_row_xact(&mut row, taken.n as u8);
        UndoPage::write_item(page, tid.offset, &row)
    })?;
    pg.counted.tup_updated += 1;
    pg.counted.tup_hot_updated += 1;
    Ok(UndoChange::Done)
}

/// DELETE.
///
/// # Errors
/// As those of [`undo_update`].
pub fn undo_delete(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    (cid, since): (CommandId, Option<&MvccSnapshot>),
) -> Outcome<UndoChange> {
    let found = match find(pg, rel, tid, cid, since)? {
        Ok(found) => found,
        Err(why) => return Ok(why),
    };
    let xid = pg.current_xid();
    let taken = require_xact(pg, found.buf, xid)?;
    let change = Change {
        rel,
        tid,
        kind: UNDO_DELETE,
        info: UndoType::Delete.info(),
        taken,
        old: older(&found, taken),
        undo: Pieces::default(),
        redo: Vec::new(),
        redo_is_tail: false,
        init: false,
    };
    make(pg, &change, cid, |page, _| {
        UndoPage::edit_item(page, tid.offset, |row| {
            set_row_deleted(row, true);
            set_row_xact(row, taken.n as u8);
        });
        Ok(())
    })?;
    Ok(UndoChange::Done)
}

/// The row, if it may be changed.
fn find(
    pg: &Instance,
    rel: &RelationData,
    tid: ItemPointer,
    cid: CommandId,
    since: Option<&MvccSnapshot>,
) -> Outcome<Result<Found, UndoChange>> {
    let buf = Buffer::main(rel.file, tid.block);
    let view = UndoPage::of(pg.buffers.page(buf));
    let Some(row) = view.item(tid.offset).map(<[u8]>::to_vec) else { return Ok(Err(UndoChange::Gone)) };
    let item = view.xact(row_xact(&row).into()).unwrap_or_default();
    if pg.is_current_xid(item.xid) {
        if own_change_cid(pg, item, tid).is_some_and(|changed| changed >= cid) {
            return Ok(Err(UndoChange::OwnChange));
        }
    } else if pg.transam.is_in_progress(item.xid) {
        return Err(Stop::Wait(WaitFor::Transaction(item.xid)));
    } else if since.is_some_and(|snapshot| pg.in_snapshot(item.xid, snapshot)) {
        return Ok(Err(if row_is_deleted(&row) { UndoChange::Gone } else { UndoChange::Changed }));
    }
    if row_is_deleted(&row) {
        return Ok(Err(UndoChange::Gone));
    }
    Ok(Ok(Found { buf, row, item }))
}

/// Who made the version that is replaced. Whose item is taken now, everybody sees.
fn older(found: &Found, taken: TakenXact) -> (ItemXact, u8) {
    let n = row_xact(&found.row);
    if taken.how == XactChange::Reused && u16::from(n) == taken.n { (ItemXact::default(), 0) } else { (found.item, n) }
}

/// Has a column of an index another value?
fn changes_key(rel: &RelationData, old: &[u8], new: &[u8]) -> bool {
    if rel.indexed.is_empty() {
        return false;
    }
    let (old, new) = (tuple_of(old), tuple_of(new));
    let numbers = rel.indexed.iter().map(|column| usize::from(column.attnum)).filter(|attnum| *attnum > 0);
    let mut known = numbers.filter(|attnum| *attnum <= rel.desc.attributes().len());
    known.any(|attnum| !rel.desc.attr_equals(&old, &new, attnum - 1))
}

/// The page that a new row of so many bytes, line pointer included, goes to: the last one, if it has room beside what
/// fillfactor leaves free, else one more. Is that made anew?
fn page_for(pg: &mut Instance, rel: &RelationData, needed: u16) -> Outcome<(Buffer, TakenXact, bool)> {
    let xid = pg.current_xid();
    let last = pg.buffers.nblocks(rel.file, ForkNumber::Main).checked_sub(1);
    if let Some(buf) = last.map(|block: BlockNumber| Buffer::main(rel.file, block))
        && !pg.buffers.page(buf).is_new()
        && let Some(taken) = find_xact(pg, buf, xid, needed)
    {
        let view = UndoPage::of(pg.buffers.page(buf));
        let wanted = u32::from(needed) + u32::from(taken.bytes()) + u32::from(rel.target_page_free_space());
        if u32::from(view.free()) >= wanted {
            return Ok((buf, taken, false));
        }
    }
    let block = pg.extend(rel.file, ForkNumber::Main, 1);
    let buf = Buffer::main(rel.file, block);
    *pg.buffers.page_dirtied(buf) = UndoPage::init_table(BLCKSZ);
    Ok((buf, TakenXact { n: 1, how: XactChange::Added, before: ItemXact::default() }, true))
}

/// Makes the change: `apply` changes the row, given what the WAL says of it.
fn make(
    pg: &mut Instance,
    change: &Change<'_>,
    cid: CommandId,
    apply: impl FnOnce(&mut ffviz_format::page::Page, &[u8]) -> Result<(), alloc::string::String>,
) -> Outcome<()> {
    let xid = pg.current_xid();
    let Change { rel, tid, taken, old: (old, old_xact), .. } = *change;
    let buf = Buffer::main(rel.file, tid.block);
    let is_own = taken.how == XactChange::Kept;
    let record = UndoRecord {
        kind: change.kind,
        xid,
        cid,
        locator: pg.buffers.locator(rel.file),
        block: tid.block,
        offset: tid.offset,
        prev: if is_own { taken.before.undo } else { UndoRecPtr::NONE },
        old_xid: old.xid,
        old_undo: old.undo,
        old_xact,
        values: change.undo.clone(),
    };
    let bytes = record.encode();
    let place = place_record(pg, bytes.len())?;
    let mut row = change.redo.clone();
    if change.kind == UNDO_INSERT {
        set_row_xact(&mut row, taken.n as u8);
    }
    let page = pg.buffers.page_dirtied(buf);
    let item = ItemXact { xid, undo: place.address };
    UndoPage::take_xact(page, taken.n, taken.how, item).and_then(|()| apply(page, &row)).map_err(broken)?;
    UndoPage::add_item(pg.buffers.page_dirtied(place.buf), &bytes).map_err(broken)?;
    log(pg, change, &row, place, &bytes);
    Ok(())
}

fn broken(why: alloc::string::String) -> Stop {
    SqlError::new("XX001", why).into()
}

/// The WAL record.
fn log(pg: &mut Instance, change: &Change<'_>, row: &[u8], place: UndoPlace, record: &[u8]) {
    let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
    let Change { tid, taken, .. } = *change;
    let flags = flag(taken.how == XactChange::Added, XLU_XACT_ADDED)
        | flag(taken.how == XactChange::Reused, XLU_XACT_REUSED)
        | flag(change.redo_is_tail, XLU_TAIL)
        | flag(place.begins.is_some(), XLU_BEGINS);
    let main = XlUndoChange::make(tid.offset.0, taken.n as u8, flags, place.address.0);
    let begin = place.begins.map(|(owner, slot)| XlUndoBegin::make(owner, slot));
    let main: [&[u8]; 2] = [&main, begin.as_ref().map_or(&[], |begin| begin)];
    let block = |id, buf, anew, data| {
        let flags = REGBUF_STANDARD | flag(anew, REGBUF_WILL_INIT);
        Registered { id, buf, flags, data, sets_lsn: true }
    };
    let (row, record) = ([row], [record]);
    let buf = Buffer::main(change.rel.file, tid.block);
    let (table, undo) = (block(0, buf, change.init, &row), block(1, place.buf, place.begins.is_some(), &record));
    match pg.undo.slots().filter(|_| place.begins.is_some()) {
        Some(slots) => {
            let slots = block(2, slots, false, &[]);
            pg.xlog_insert(Rmgr::UNDO, change.info, &main, &[table, undo, slots]);
        }
        None => {
            pg.xlog_insert(Rmgr::UNDO, change.info, &main, &[table, undo]);
        }
    }
}
