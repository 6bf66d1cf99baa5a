//! How a statement ended: in the words of a timeline, and as the lines of a trace have it.

use crate::sql::StatementError;
use crate::sql::error::{NOT_SIMULATED, Position};
use crate::sql::trace::{ResumedTrace, StatementTrace};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_story::timeline::{NOT_SUPPORTED, ResultSet};

/// How a statement ended.
pub(super) enum Ended {
    /// with its command tag, and the rows that it gave, where they are kept
    Ok(String, Option<ResultSet>),
    Failed(SqlError),
    /// it is no SQL, or it is not simulated and had begun to write, so that the transaction ends
    Refused(StatementError),
    /// it is not simulated, and the transaction is as if it had not been written
    Skipped(StatementError),
    Waits,
}

/// How a statement of a session ended, or that it waits.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementEnd {
    /// the session
    pub session: String,
    /// does it wait for another one?
    pub waits: bool,
    /// why it failed
    pub error: Option<SqlError>,
    /// the rows that it gave, where they are kept
    pub rows: Option<ResultSet>,
}

impl StatementEnd {
    pub(super) fn of(session: String, ended: &Ended) -> Self {
        let error = match ended {
            Ended::Failed(error) => Some(error.clone()),
            Ended::Refused(refused) | Ended::Skipped(refused) => Some(refused.error.clone()),
            Ended::Ok(..) | Ended::Waits => None,
        };
        Self { session, waits: matches!(ended, Ended::Waits), error, rows: ended.rows().cloned() }
    }
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
            Self::Failed(error) => failed(error),
            Self::Refused(refused) if refused.error.sqlstate != NOT_SIMULATED => failed(&refused.error),
            Self::Refused(refused) | Self::Skipped(refused) => format!("{NOT_SUPPORTED}{}", refused.error.message),
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

    /// The error's line HINT.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Failed(error) => error.hint.as_deref().map(String::from),
            _ => None,
        }
    }

    /// Where in its text the statement is wrong, if it is.
    pub fn wrong(&self) -> Option<Position> {
        match self {
            Self::Failed(error) => error.position.map(|(line, column)| Position { line, column }),
            Self::Refused(refused) | Self::Skipped(refused) => refused.position,
            Self::Ok(..) | Self::Waits => None,
        }
    }

    /// The same of a statement that begins in that line of the script: lines are counted there from now on.
    pub fn placed(mut self, line: u32) -> Self {
        if let Self::Refused(StatementError { position: Some(at), .. })
        | Self::Skipped(StatementError { position: Some(at), .. }) = &mut self
        {
            at.line += line - 1;
        }
        self
    }

    /// Why the simulator does not run the statement of that number, which begins in that line: a sentence, with the
    /// line of the script that is meant.
    pub fn refused(&self, n: u32, line: u32) -> Option<String> {
        match self {
            Self::Refused(refused) | Self::Skipped(refused) => {
                let line = refused.position.map_or(line, |position| position.line);
                Some(format!("statement {n} (line {line}): {}", refused.error))
            }
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
            Self::Failed(error) => [trace.error, trace.detail, trace.hint, trace.sqlstate] = told(&error),
            Self::Refused(refused) | Self::Skipped(refused) => {
                [trace.error, trace.detail, trace.hint, trace.sqlstate] = told(&refused.error);
                trace.skipped = true;
            }
            Self::Waits => trace.waiting = true,
        }
    }

    /// The line of a statement that had waited; none, where it waits again.
    pub fn resumed(self, resumed: u32, session: String, position: Option<u32>) -> Option<ResumedTrace> {
        let (status, result, [error, detail, hint, sqlstate]) = match self {
            Self::Ok(tag, rows) => (Some(tag), rows, [const { None }; 4]),
            Self::Failed(error) => (None, None, told(&error)),
            Self::Refused(refused) | Self::Skipped(refused) => (None, None, told(&refused.error)),
            Self::Waits => return None,
        };
        Some(ResumedTrace { resumed, session, status, error, detail, hint, position, sqlstate, result })
    }
}

fn failed(error: &SqlError) -> String {
    match &error.detail {
        Some(detail) => format!("ERROR: {} DETAIL: {detail}", error.message),
        None => format!("ERROR: {}", error.message),
    }
}

/// The tag of EXPLAIN, and what it has told, a line each.
fn told_plan(tag: &str, plan: &[String]) -> String {
    core::iter::once(tag).chain(plan.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// The message, its DETAIL, its HINT, its SQLSTATE.
fn told(error: &SqlError) -> [Option<String>; 4] {
    let [detail, hint] = [&error.detail, &error.hint].map(|line| line.as_deref().map(String::from));
    [Some(String::from(&*error.message)), detail, hint, Some(String::from(error.sqlstate))]
}
