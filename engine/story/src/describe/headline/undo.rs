//! Records of the undo engine in a line.

use super::{block_word, tid};
use alloc::format;
use alloc::string::String;
use ffviz_format::undo::{UNDO_DELETE, UNDO_INSERT, UndoRecPtr};
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::undo::{XLOG_UNDO_INIT_PAGE, XlUndoChange, XlUndoExtend, XlUndoRollback};
use ffviz_format::wal::record_type::UndoType;

pub(super) fn undo(record: &DecodedRecord<'_>, of: UndoType) -> String {
    let (data, block) = (record.main_data, record.block(0));
    let main = XlUndoChange::new(data);
    let at = UndoRecPtr(main.undo());
    let undo = format!("undo ({},{})", at.block(), at.item());
    match of {
        UndoType::Insert => {
            let on_new_page = if record.info() & XLOG_UNDO_INIT_PAGE != 0 { " on a new page" } else { "" };
            format!("INSERT {}{on_new_page}, {undo}", tid(block, main.offnum()))
        }
        UndoType::Update => format!("UPDATE {} in place, old values to {undo}", tid(block, main.offnum())),
        UndoType::Delete => format!("DELETE {}, {undo}", tid(block, main.offnum())),
        UndoType::Rollback => {
            let rollback = XlUndoRollback::new(data);
            let what = match rollback.kind() {
                UNDO_INSERT => "INSERT",
                UNDO_DELETE => "DELETE",
                _ => "UPDATE",
            };
            format!("{what} {} taken back", tid(block, rollback.offnum()))
        }
        UndoType::Extend => {
            format!("undo page {} for transaction {}", block_word(block), XlUndoExtend::new(data).owner())
        }
    }
}
