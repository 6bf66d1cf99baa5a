//! Records of the undo engine, a model: what it is modelled after, and which sizes are known, stands in `crate::undo`.
//!
//! ```text
//!  INSERT, UPDATE, DELETE   block 0 the row's page: the row, its new values, nothing
//!                           block 1 the undo page: the undo record           2 the slots, where the transaction begins
//!  ROLLBACK                 block 0 the row's page: its old values
//!  EXTEND                   block 0 an undo page that is made anew           1 the slots
//! ```

use crate::page::layout::c_struct;

/// With INSERT: the page is made anew.
pub const XLOG_UNDO_INIT_PAGE: u8 = 0x80;

/// `flags`: the page gets a transaction item more
pub const XLU_XACT_ADDED: u8 = 0x01;
/// `flags`: the transaction takes the item of one that everybody sees
pub const XLU_XACT_REUSED: u8 = 0x02;
/// `flags`: the last value is all that follows in the row
pub const XLU_TAIL: u8 = 0x04;
/// `flags`: the transaction's first undo page; [`XlUndoBegin`] follows
pub const XLU_BEGINS: u8 = 0x08;

c_struct! {
    /// `xl_undo_change`: INSERT, UPDATE, DELETE.
    pub struct XlUndoChange, 12 {
        /// line pointer of the row
        0 => offnum: u16,
        /// the transaction's item on the page
        2 => xact: u8,
        /// how it comes by the item, how the values are to be read, whether it begins
        3 => flags: u8,
        /// the address of the undo record
        4 => undo: u64,
    }
}

c_struct! {
    /// `xl_undo_begin`: behind `xl_undo_change`, where the transaction gets its first undo page.
    pub struct XlUndoBegin, 6 {
        /// the transaction that the undo page belongs to
        0 => owner: u32,
        /// its slot
        4 => slot: u16,
    }
}

c_struct! {
    /// `xl_undo_rollback`: a change is taken back.
    pub struct XlUndoRollback, 14 {
        /// line pointer of the row
        0 => offnum: u16,
        /// the transaction's item on the page
        2 => xact: u8,
        /// the row's item before the change
        3 => old_xact: u8,
        /// what is taken back: 1 INSERT, 2 UPDATE, 3 DELETE
        4 => kind: u8,
        /// how the values are to be read
        5 => flags: u8,
        /// the transaction's undo record about the page before this one; 0: the item is free again
        6 => undo: u64,
    }
}

c_struct! {
    /// `xl_undo_extend`: one more undo page.
    pub struct XlUndoExtend, 10 {
        /// the transaction that the undo page belongs to
        0 => owner: u32,
        /// the page that it filled before
        4 => prev: u32,
        /// its slot
        8 => slot: u16,
    }
}
