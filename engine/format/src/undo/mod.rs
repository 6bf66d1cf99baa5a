//! Pages and records of an engine that updates in place and keeps old values in undo pages: a model after what is
//! published of Redrock Postgres, since no server with such an engine can be looked at.
//!
//! ```text
//!  0        24       40                      pd_lower      pd_upper                            8192
//!  ├ header ┼ header ┼ transaction items ─▶ line pointers ─▶ hole ◀─ rows, or undo records ─────┤
//!    PageHeaderData
//!    and 16 more       24 bytes each         4 bytes each
//!
//!  row ─ its transaction item ─▶ undo record ─▶ undo record      old values, and who made the version before
//! ```
//!
//! A size is *published*, *derived* from published totals, or *assumed*:
//!
//! | what | bytes | origin |
//! | --- | --- | --- |
//! | page header | 40 | published (doc.rockdata.net, page layout); what the last 16 hold is assumed |
//! | transaction item | 24 | published; that 16 of them are an xid and an address is assumed |
//! | line pointer | 4 | published: PostgreSQL's `ItemIdData` |
//! | undo page belongs to one transaction | | published (undo segments); that it has one transaction item is assumed |
//! | only old values of changed columns go to undo | | published |
//! | undo record of one changed `int4`, with its line pointer | 62 | derived: 10,077 records are 77 or 78 undo pages of 8,128 bytes |
//! | each changed `int4` more | 7 | derived: 10,085 records are 86 or 87 undo pages |
//! | which fields the other 55 bytes are | 51 + 4 | assumed |
//! | a changed value: place 2, length 1, bytes | 3 + n | assumed; it fits the derived 7 |
//! | header of a row | 5 | assumed: zheap's |
//! | WAL record of an UPDATE of one `int4` | 143 | assumed; published are 145.7 with new undo pages; 138 to 152 are within 5 % |
//! | the same of two | 157 | assumed; published are 155.8 with new undo pages; 148 to 163 are within 5 % |
//! | WAL record of a new undo page | 64 | assumed; 0 to 770 are within 5 % of the totals |
//!
//! zheap, `OrioleDB` and openGauss' Ustore have the same parts in other places and sizes: zheap keeps 16 bytes a
//! transaction in the special space and whole old rows in undo, Ustore a header of 7 bytes a row, `OrioleDB` undo that
//! is not logged.

mod decode;
mod layout;
mod page;
mod record;
mod row;
#[cfg(test)]
mod tests;

pub use decode::{UndoItem, UndoPageContents};
pub use layout::{
    ItemXactData, UNDO_DELETE, UNDO_HEADER_SIZE, UNDO_INSERT, UNDO_PAGE, UNDO_SLOTS_PAGE, UNDO_TABLE_PAGE, UNDO_UPDATE,
    UndoPageData, UndoRecPtr, UndoRecordData, UndoRowHeaderData,
};
pub use page::{ItemXact, UndoPage, XactChange};
pub use record::{Piece, Pieces, UndoRecord};
pub use row::{changed_pieces, row_is_deleted, row_of, row_xact, set_row_deleted, set_row_xact, tuple_of};
