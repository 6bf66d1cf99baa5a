//! A line of a trace as JSON: whatever it is of, it has the same keys.

use super::{ForkTrace, PageTrace, TraceLine, WalTrace};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;
use ffviz_story::timeline::ResultSet;
use serde::Serialize;

/// The keys, in their order.
#[derive(Default, Serialize)]
struct Line<'a> {
    n: Option<u32>,
    session: Option<&'a str>,
    sql: Option<&'a str>,
    directive: Option<&'a str>,
    resumed: Option<u32>,
    status: Option<&'a str>,
    error: Option<&'a str>,
    detail: Option<&'a str>,
    hint: Option<&'a str>,
    position: Option<u32>,
    skipped: bool,
    waiting: bool,
    xid0: Option<TransactionId>,
    xid1: Option<TransactionId>,
    pages: &'a [PageTrace],
    wal: Vec<&'a WalTrace>,
    forks: &'a [ForkTrace],
    result: Option<&'a ResultSet>,
}

impl TraceLine {
    /// The line, without its end.
    ///
    /// # Errors
    /// serde's, which has none for these types.
    pub fn to_json(&self) -> Result<String, String> {
        let line = match self {
            Self::Statement(of) => Line {
                n: Some(of.n),
                session: Some(&of.session),
                sql: Some(&of.sql),
                status: of.status.as_deref(),
                error: of.error.as_deref(),
                detail: of.detail.as_deref(),
                hint: of.hint.as_deref(),
                position: of.position,
                skipped: of.skipped,
                waiting: of.waiting,
                xid0: Some(of.xid0),
                xid1: Some(of.xid1),
                pages: &of.pages,
                wal: in_order(&of.wal, &of.ends),
                forks: &of.forks,
                result: of.result.as_ref(),
                ..Line::default()
            },
            Self::Directive(of) => Line {
                directive: Some(&of.directive),
                pages: &of.pages,
                wal: of.wal.iter().collect(),
                ..Line::default()
            },
            Self::Resumed(of) => Line {
                session: Some(&of.session),
                resumed: Some(of.resumed),
                status: of.status.as_deref(),
                error: of.error.as_deref(),
                detail: of.detail.as_deref(),
                hint: of.hint.as_deref(),
                position: of.position,
                result: of.result.as_ref(),
                ..Line::default()
            },
        };
        serde_json::to_string(&line).map_err(|error| error.to_string())
    }
}

/// All records, in the order of their positions, which those that were not read from WAL do not know.
fn in_order<'a>(pages: &'a [WalTrace], ends: &'a [WalTrace]) -> Vec<&'a WalTrace> {
    let mut all: Vec<&WalTrace> = pages.iter().chain(ends).collect();
    if all.iter().all(|trace| trace.record.is_some()) {
        all.sort_by_key(|trace| trace.record.as_ref().map(|record| record.start));
    }
    all
}
