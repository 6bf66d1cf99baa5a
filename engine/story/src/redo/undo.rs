//! Redo of the undo engine's records: what each does to the row's page, to the undo page, and to the slots. The engine
//! is a model, and so is this: both change pages by the functions of `ffviz_format::undo`.

use super::{Action, Redo};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{OffsetNumber, Page, TransactionId};
use ffviz_format::undo::{
    ItemXact, Pieces, UNDO_PAGE, UndoPage, UndoRecPtr, XactChange, set_row_deleted, set_row_xact,
};
use ffviz_format::wal::rec::undo::{
    XLOG_UNDO_INIT_PAGE, XLU_BEGINS, XLU_TAIL, XLU_XACT_ADDED, XLU_XACT_REUSED, XlUndoBegin, XlUndoChange,
    XlUndoExtend, XlUndoRollback,
};
use ffviz_format::wal::record_type::UndoType;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, of: UndoType) {
    match of {
        UndoType::Insert | UndoType::Update | UndoType::Delete => change(redo, of),
        UndoType::Rollback => rollback(redo),
        UndoType::Extend => extend(redo),
    }
}

/// A change of a row: the row, the undo record, and the slot where the transaction begins.
fn change(redo: &mut Redo<'_>, of: UndoType) {
    let Some(data) = redo.main_data(XlUndoChange::SIZE) else { return };
    let main = XlUndoChange::new(data);
    let (n, xact, flags) = (OffsetNumber(main.offnum()), u16::from(main.xact()), main.flags());
    let how = match (flags & XLU_XACT_ADDED != 0, flags & XLU_XACT_REUSED != 0) {
        (true, _) => XactChange::Added,
        (_, true) => XactChange::Reused,
        _ => XactChange::Kept,
    };
    let item = ItemXact { xid: redo.record.xid(), undo: UndoRecPtr(main.undo()) };
    let apply = |page: &mut Page, data: &[u8]| {
        UndoPage::take_xact(page, xact, how, item)?;
        match of {
            UndoType::Insert => insert(page, n, xact, data),
            UndoType::Update => update(page, n, xact, &Pieces::decode(data, flags & XLU_TAIL != 0)),
            _ => delete(page, n, xact),
        }
    };
    let size = redo.disk.page_size;
    if redo.record.info() & XLOG_UNDO_INIT_PAGE != 0 {
        redo.init(0, |block| {
            let mut page = UndoPage::init_table(size);
            apply(&mut page, block.data)?;
            Ok(page)
        });
    } else {
        redo.change(0, |page, block| apply(page, block.data));
    }
    let begin = XlUndoBegin::new(data.get(XlUndoChange::SIZE..).unwrap_or(&[]));
    let (owner, slot) = (begin.owner(), begin.slot());
    if flags & XLU_BEGINS == 0 {
        redo.change(1, |page, block| UndoPage::add_item(page, block.data).map(drop));
        return;
    }
    redo.init(1, |block| {
        let mut page = UndoPage::init_owned(size, UNDO_PAGE, 0, owner);
        UndoPage::add_item(&mut page, block.data)?;
        Ok(page)
    });
    let newest = redo.block(1).map_or(0, |block| block.tag.block);
    put_slot(redo, 2, slot, owner, newest);
}

fn insert(page: &mut Page, n: OffsetNumber, xact: u16, data: &[u8]) -> Result<(), String> {
    let mut row = Vec::from(data);
    set_row_xact(&mut row, xact as u8);
    let added = UndoPage::add_item(page, &row)?;
    if added == n { Ok(()) } else { Err(format!("the row is line pointer {added}, not {n}")) }
}

fn update(page: &mut Page, n: OffsetNumber, xact: u16, values: &Pieces) -> Result<(), String> {
    let mut row = row(page, n)?;
    values.apply(&mut row)?;
    set_row_xact(&mut row, xact as u8);
    UndoPage::write_item(page, n, &row)
}

fn delete(page: &mut Page, n: OffsetNumber, xact: u16) -> Result<(), String> {
    let mut row = row(page, n)?;
    set_row_deleted(&mut row, true);
    set_row_xact(&mut row, xact as u8);
    UndoPage::write_item(page, n, &row)
}

fn row(page: &Page, n: OffsetNumber) -> Result<Vec<u8>, String> {
    UndoPage::of(page).item(n).map(Vec::from).ok_or_else(|| format!("line pointer {n} leads to no row"))
}

/// A change is taken back.
fn rollback(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlUndoRollback::SIZE).map(XlUndoRollback::new) else { return };
    redo.change(0, |page, block| {
        let values = Pieces::decode(block.data, main.flags() & XLU_TAIL != 0);
        let (xact, prev) = (u16::from(main.xact()), UndoRecPtr(main.undo()));
        UndoPage::take_back(page, main.kind(), OffsetNumber(main.offnum()), &values, xact, prev, main.old_xact())
    });
}

/// A transaction goes on to another undo page.
fn extend(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlUndoExtend::SIZE).map(XlUndoExtend::new) else { return };
    let size = redo.disk.page_size;
    redo.init(0, |_| Ok(UndoPage::init_owned(size, UNDO_PAGE, main.prev(), main.owner())));
    let newest = redo.block(0).map_or(0, |block| block.tag.block);
    put_slot(redo, 1, main.slot(), main.owner(), newest);
}

/// The slot says which undo page is the transaction's newest.
fn put_slot(redo: &mut Redo<'_>, id: u8, slot: u16, owner: TransactionId, newest: u32) -> Action {
    let item = ItemXact { xid: owner, undo: UndoRecPtr::new(newest, 1) };
    redo.change(id, |page, _| UndoPage::put_slot(page, slot, item))
}
