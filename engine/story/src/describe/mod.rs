//! What a record says, and why it has as many bytes as it has.
//!
//! ```text
//!                   ├─ describe   PostgreSQL's own text, to compare        off: 2, flags: 0x00
//!  DecodedRecord ───┼─ headline   one line for a list                      HOT UPDATE (0,1) → (0,2)
//!                   ├─ explain    every byte: field, value, meaning        bytes 44–48 old_xmax 735: the old version's new t_xmax
//!                   └─ cost       why this many bytes, by part             24 record header + 20 block reference + …
//! ```
//!
//! The flag words of tuples and index pages are spelt out here; redo needs only the structs of records
//! (`ffviz_format::wal::rec`).
//!
//! Reading WAL, telling what it says and replaying it are three modules: `ffviz_format::wal` stands below the tuples
//! and knows none; this one and `redo` stand above those whose flags they spell out and whose pages they change.
//! `rebuild` between them reads descriptions back.

mod cost;
mod desc;
mod explain;
mod flags;
mod headline;
mod lists;
mod shorts;
#[cfg(test)]
mod tests;
mod words;

pub use cost::{Before, Share, cost, spent};
pub(super) use desc::wal_level;
pub use desc::{block_refs, describe};
pub use explain::{RecordField, explain};
pub(super) use flags::INFOBITS;
pub use headline::headline;

/// Which part of a record some bytes belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordPart {
    /// `XLogRecord`
    Header,
    /// which page, and what of it is in the record
    BlockReference,
    /// the page's image, with its own short header
    Image,
    /// what is to be done to the page
    BlockData,
    /// the replication origin
    Origin,
    /// the transaction that a subtransaction belongs to
    ToplevelXid,
    /// what belongs to no page, with its own short header
    MainData,
}

impl RecordPart {
    /// Its name in lists and legends.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "record header",
            Self::BlockReference => "block reference",
            Self::Image => "full-page image",
            Self::BlockData => "block data",
            Self::Origin => "replication origin",
            Self::ToplevelXid => "top-level xid",
            Self::MainData => "main data",
        }
    }
}
