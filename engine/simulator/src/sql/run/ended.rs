//! How a statement ended: in the words of a timeline, and as the lines of a trace have it.

use crate::sql::trace::{ResumedTrace, StatementTrace};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_story::timeline::ResultSet;

/// How a statement ended.
pub(super) enum Ended {
    /// with its command tag, and the rows that it gave, where they are kept
    Ok(String, Option<ResultSet>),
    Failed(SqlError),
    /// it is no SQL, or none that is simulated
    Refused(SqlError),
    /// it is not simulated, and the transaction is as if it had not been written
    Skipped(SqlError),
    Waits,
}

impl Ended {
    /// Without rows.
    pub const fn done(tag: String) -> Self {
        Self::Ok(tag, None)
    }

    /// As a timeline says it.
    pub fn words(&self) -> String {
        match self {
            Self::Ok(tag, _) => tag.clone(),
            Self::Failed(error) | Self::Refused(error) => match &error.detail {
                Some(detail) => format!("ERROR: {} DETAIL: {detail}", error.message),
                None => format!("ERROR: {}", error.message),
            },
            Self::Skipped(error) => format!("not supported, skipped: {}", error.message),
            Self::Waits => String::from("waits for another transaction"),
        }
    }

    /// The rows that were kept.
    pub const fn rows(&self) -> Option<&ResultSet> {
        match self {
            Self::Ok(_, rows) => rows.as_ref(),
            _ => None,
        }
    }

    /// Why the simulator does not run the statement of that number and line: a sentence.
    pub fn refused(&self, n: u32, line: u32) -> Option<String> {
        match self {
            Self::Refused(error) | Self::Skipped(error) => Some(format!("statement {n} (line {line}): {error}")),
            _ => None,
        }
    }

    /// Is it something to be told of a statement that had waited?
    pub const fn is_bad(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Refused(_) | Self::Skipped(_))
    }

    /// Into the line of the statement. What EXPLAIN has told is part of its tag.
    pub fn trace(self, trace: &mut StatementTrace, plan: &[String]) {
        match self {
            Self::Ok(tag, _) if tag == "EXPLAIN" => trace.status = Some(told_plan(&tag, plan)),
            Self::Ok(tag, rows) => (trace.status, trace.result) = (Some(tag), rows),
            Self::Failed(error) | Self::Refused(error) | Self::Skipped(error) => {
                (trace.error, trace.detail) = told(&error)
            }
            Self::Waits => trace.waiting = true,
        }
    }

    /// The line of a statement that had waited; none, where it waits again.
    pub fn resumed(self, resumed: u32, session: String) -> Option<ResumedTrace> {
        let (status, result, (error, detail)) = match self {
            Self::Ok(tag, rows) => (Some(tag), rows, (None, None)),
            Self::Failed(error) | Self::Refused(error) | Self::Skipped(error) => (None, None, told(&error)),
            Self::Waits => return None,
        };
        Some(ResumedTrace { resumed, session, status, error, detail, result })
    }
}

/// The tag of EXPLAIN, and what it has told, a line each.
fn told_plan(tag: &str, plan: &[String]) -> String {
    core::iter::once(tag).chain(plan.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// The message, and its DETAIL.
fn told(error: &SqlError) -> (Option<String>, Option<String>) {
    (Some(String::from(&*error.message)), error.detail.as_deref().map(String::from))
}
