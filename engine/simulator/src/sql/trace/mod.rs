//! What one statement did: the lines of `ffviz sim --format jsonl`, and what a server is compared by.
//!
//! ```text
//!  {"n":3,"session":"A","sql":"…","directive":null,"resumed":null,"status":"UPDATE 1","error":null,"detail":null,
//!   "hint":null,"position":null,"skipped":false,"waiting":false,"xid0":2001,"xid1":2002,
//!   "pages":[{"rel":"t","fork":"main","blk":0,"hex":"…"}],
//!   "wal":[{"rmgr":"Heap","type":"HOT_UPDATE","len":72,"main_data_len":14,"fpi":0,
//!           "blocks":[{"id":0,"rel":"t","fork":"main","blk":0,"dlen":12,"fpi_len":0}]},
//!          {"rmgr":"Transaction","type":"COMMIT",…}],
//!   "forks":[{"rel":"t","fork":"main","blocks":1}],
//!   "result":{"columns":["ctid","b"],"types":[27,25],"rows":[["(0,2)","x"],["(0,3)",null]],"count":2}}
//! ```
//!
//! A line a statement, in the script's order, each with the same keys. `status` is the command tag, or else `error` is
//! the message, with its lines DETAIL and HINT and the character of `sql` that it points to, from 1, as far as it has
//! them. `result` is of a statement that gave rows (SELECT, RETURNING): names of the columns, their types
//! (`pg_type.oid`), the first 1,000 rows as text, and how many there are; a value is null for NULL. A statement that
//! the simulator does not know has `"skipped":true`, and what it says of that as its error: no server gave one. A
//! statement that waits for a lock has `"waiting":true`, neither status nor error, and the pages and records up to
//! there; what it does when it goes on is counted to the statement that let it, whose line one follows that has its
//! number in `resumed`, and says how it ended. A crash has a line with `directive`.

mod hex;
mod line;
#[cfg(test)]
mod tests;
mod wal;

pub use wal::{BlockTrace, WalTrace, is_end, is_listed};

use crate::storage::MultiXactId;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, Page, TransactionId};
use ffviz_story::timeline::ResultSet;
use serde::Serialize;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceLine {
    /// of a statement
    Statement(StatementTrace),
    /// of a directive that changes pages
    Directive(DirectiveTrace),
    /// of a statement that had waited for a lock and is at its end now
    Resumed(ResumedTrace),
}

/// What a statement did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatementTrace {
    /// its number in the script, from 1
    pub n: u32,
    /// the session that ran it
    pub session: String,
    /// its text
    pub sql: String,
    /// the command tag, `UPDATE 1`; `None` where it failed or waits
    pub status: Option<String>,
    /// the server's message; `None` where it did not fail
    pub error: Option<String>,
    /// the message's line DETAIL, where it has one
    pub detail: Option<String>,
    /// its line HINT, where it has one
    pub hint: Option<String>,
    /// the character of the text that it points to, from 1
    pub position: Option<u32>,
    /// was it left out, since the simulator does not know it? No server says what `error` says then.
    pub skipped: bool,
    /// the error's SQLSTATE; of a statement that is not simulated [`NOT_SIMULATED`](super::error::NOT_SIMULATED); not
    /// part of the line
    pub sqlstate: Option<String>,
    /// the next transaction id before it
    pub xid0: TransactionId,
    /// the next transaction id after it
    pub xid1: TransactionId,
    /// the pages that it changed or added, as they are afterwards
    pub pages: Vec<PageTrace>,
    /// the records about pages that it wrote, in the order of their positions
    pub wal: Vec<WalTrace>,
    /// the forks whose lengths changed
    pub forks: Vec<ForkTrace>,
    /// the rows that it gave, as text
    pub result: Option<ResultSet>,
    /// does it wait for a lock?
    pub waiting: bool,
    /// records that tell of no page: ends of transactions, and TRUNCATE for logical decoding
    pub ends: Vec<WalTrace>,
    /// counters at its start, where they are known; not part of the line
    pub start: Option<Counters>,
}

/// What a directive did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DirectiveTrace {
    /// its text after `--@`
    pub directive: String,
    /// the pages that are otherwise than before
    pub pages: Vec<PageTrace>,
    /// records of these relations that were written meanwhile
    pub wal: Vec<WalTrace>,
}

/// How a statement ended that had waited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResumedTrace {
    /// its number in the script
    pub resumed: u32,
    /// the session that runs it
    pub session: String,
    /// the command tag
    pub status: Option<String>,
    /// the server's message
    pub error: Option<String>,
    /// the message's line DETAIL, where it has one
    pub detail: Option<String>,
    /// its line HINT, where it has one
    pub hint: Option<String>,
    /// the character of its text that the message points to, from 1
    pub position: Option<u32>,
    /// as in [`StatementTrace`]
    pub sqlstate: Option<String>,
    /// the rows that it gave, as text
    pub result: Option<ResultSet>,
}

/// A page, whole, as `get_raw_page` returns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageTrace {
    /// the relation's name, [`toast_name`] or [`toast_index_name`]; `None` where no relation is known
    pub rel: Option<String>,
    /// which of its files
    pub fork: ForkNumber,
    /// the block in it
    pub blk: BlockNumber,
    /// its bytes
    #[serde(rename = "hex", serialize_with = "hex::serialize")]
    pub page: Page,
}

/// The length of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForkTrace {
    /// the relation's name, as in [`PageTrace`]
    pub rel: Option<String>,
    /// which of its files
    pub fork: ForkNumber,
    /// length in blocks; 0 where it was dropped
    pub blocks: BlockNumber,
}

/// Where a server's counters stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// where the next record starts, `pg_current_wal_insert_lsn()`
    pub lsn: Lsn,
    /// the next transaction id
    pub xid: TransactionId,
    /// the OID of the first relation or TOAST value that was made; `None` where none was
    pub oid: Option<Oid>,
    /// the next `MultiXact`
    pub multi: MultiXactId,
    /// was nothing written until the statement's end but what the trace lists, and ends of transactions? Then positions
    /// follow from this one
    pub quiet: bool,
    /// did reading a catalog write a record before the first one that the trace lists? By it the session learnt of the
    /// last checkpoint
    pub catalog_first: bool,
}

impl ResumedTrace {
    /// The rows that it gave, with whose they are.
    pub(in crate::sql) fn named_result(&self) -> Option<ResultSet> {
        let of = format!("statement {} of session {}", self.resumed, self.session);
        Some(ResultSet { of, ..self.result.clone()? })
    }
}

impl TraceLine {
    /// The pages that changed.
    #[must_use]
    pub fn pages(&self) -> &[PageTrace] {
        match self {
            Self::Statement(statement) => &statement.pages,
            Self::Directive(directive) => &directive.pages,
            Self::Resumed(_) => &[],
        }
    }

    /// The records that were written.
    #[must_use]
    pub fn wal(&self) -> &[WalTrace] {
        match self {
            Self::Statement(statement) => &statement.wal,
            Self::Directive(directive) => &directive.wal,
            Self::Resumed(_) => &[],
        }
    }
}

/// What a trace calls a table's TOAST table.
#[must_use]
pub fn toast_name(table: &str) -> String {
    format!("{table}.toast")
}

/// What a trace calls the index of a table's TOAST table.
#[must_use]
pub fn toast_index_name(table: &str) -> String {
    format!("{table}.toast_idx")
}
