//! Records of the undo engine in a line.

use super::{block_word, tid};
use alloc::format;
use alloc::string::String;
use ffviz_format::undo::{UNDO_DELETE, UNDO_INSERT, UndoRecPtr};
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::undo::{XLOG_UNDO_INIT_PAGE, XlUndoChange, XlUndoExtend, XlUndoRollback};

pub(super) fn undo(record: &DecodedRecord<'_>) -> String {
    let (data, block) = (record.main_data, record.block(0));
    let main = XlUndoChange::new(data);
    let at = UndoRecPtr(main.undo());
    let undo = format!("undo ({},{})", at.block(), at.item());
    match record.info() & 0x70 {
        0x00 => {
            let on_new_page = if record.info() & XLOG_UNDO_INIT_PAGE != 0 { " on a new page" } else { "" };
            format!("INSERT {}{on_new_page}, {undo}", tid(block, main.offnum()))
        }
        0x10 => format!("UPDATE {} in place, old values to {undo}", tid(block, main.offnum())),
        0x20 => format!("DELETE {}, {undo}", tid(block, main.offnum())),
        0x30 => {
            let rollback = XlUndoRollback::new(data);
            let what = match rollback.kind() {
                UNDO_INSERT => "INSERT",
                UNDO_DELETE => "DELETE",
                _ => "UPDATE",
            };
            format!("{what} {} taken back", tid(block, rollback.offnum()))
        }
        0x40 => format!("undo page {} for transaction {}", block_word(block), XlUndoExtend::new(data).owner()),
        _ => String::new(),
    }
}
