//! A script: SQL as psql would run it, and directives that are comments to psql.
//!
//! ```text
//!  CREATE TABLE t (a int);          statement 1, session A
//!  --@ session B                    what follows runs in session B
//!  COPY t FROM STDIN;               statement 2, with its data
//!  1
//!  \.
//!  --@ crash torn t 0 4096          directive
//! ```
//!
//! Follows psql's scanner (src/fe_utils/psqlscan.l) in where a statement ends. What a statement says is not looked at,
//! except that COPY from STDIN is followed by its data.

mod backslash;
mod directive;
mod split;
mod variables;

pub use backslash::note;
pub(crate) use split::token_length;
pub(in crate::sql) use split::unfinished;
pub use variables::Variables;

use crate::storage::MultiXactId;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use ffviz_format::page::{BlockNumber, Lsn, Oid, TransactionId};

/// Name of the session that a script begins in.
pub const FIRST_SESSION: &str = "A";

/// Statements and directives in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// what is to be done
    pub items: Vec<Item>,
}

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// SQL
    Statement(Statement),
    /// what SQL cannot say
    Directive {
        /// what is asked for
        directive: Directive,
        /// its line, from 1
        line: u32,
    },
}

impl Item {
    /// Does the server crash?
    #[must_use]
    pub const fn is_crash(&self) -> bool {
        matches!(self, Self::Directive { directive, .. } if directive.is_crash())
    }
}

/// A statement as it is sent to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// number within the script, from 1; directives are not counted
    pub n: u32,
    /// the session that runs it
    pub session: String,
    /// its text without the semicolon and without comments before it
    pub sql: String,
    /// the lines after COPY … FROM STDIN, each with its line end, without the closing `\.`
    pub copy_data: Option<String>,
    /// the line it begins in, from 1
    pub line: u32,
}

/// What SQL cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// `crash`: the power fails when the WAL written so far is on disk and no page since the last checkpoint is; the
    /// server starts again
    Crash,
    /// `crash torn t 0 4096`: the same while a page is being written, of which only the first bytes reach the disk
    CrashTorn {
        /// name of the relation, as in a trace: `t`, `t.toast`
        rel: String,
        /// the block of its main fork
        block: BlockNumber,
        /// how many bytes of its new version reach the disk, 1 to 8191
        bytes: u16,
    },
    /// `crash before INSERT_UPPER`: the power fails when the last record of that type, and what comes after it, is not
    /// on disk yet
    CrashBefore {
        /// type of record, as a trace has it
        kind: String,
    },
    /// `set NAME VALUE`: as ALTER SYSTEM SET and pg_reload_conf()
    Set {
        /// the setting
        name: String,
        /// its value, without quotes
        value: String,
    },
    /// `lsn X/X`: where the next statement's first record starts
    Lsn(Lsn),
    /// `xid N`: the next transaction id that is assigned
    Xid(TransactionId),
    /// `oid N`: the OID of the next relation or TOAST value that is made
    Oid(Oid),
    /// `multixact N`: the next `MultiXact` that is made
    MultiXact(MultiXactId),
    /// `redo NAME`: that session has learnt of the last checkpoint, by a record about a catalog, whose pages are not
    /// simulated
    Redo(String),
    /// `\timing on`: a command of psql's, which is passed over
    Psql(String),
}

/// Why a text is no script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// the line, from 1
    pub line: u32,
    /// what is wrong and what to do
    pub sentence: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.sentence)
    }
}

impl Script {
    /// Splits a text. A statement that the text's end cuts off is one, as in psql: whoever runs it finds what is
    /// missing.
    ///
    /// # Errors
    /// A directive that is not understood or stands within a statement.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        Self::parse_with_spans(text).map(|(script, _)| script)
    }

    /// The same, with the bytes of the text that each item takes; of a statement with its semicolon and the data of
    /// COPY.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_with_spans(text: &str) -> Result<(Self, Vec<Range<usize>>), ScriptError> {
        split::Splitter::new(text).run()
    }

    /// Does it set variables to what statements give?
    #[must_use]
    pub fn takes_rows(&self) -> bool {
        let takes = |directive: &Directive| matches!(directive, Directive::Psql(it) if Variables::takes_rows(it));
        self.items.iter().any(|item| matches!(item, Item::Directive { directive, .. } if takes(directive)))
    }

    /// The statements.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.items.iter().filter_map(|item| match item {
            Item::Statement(statement) => Some(statement),
            Item::Directive { .. } => None,
        })
    }
}

impl Directive {
    /// As it stands in a script.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Psql(command) => command.clone(),
            directive => alloc::format!("--@ {directive}"),
        }
    }

    /// Does the server crash?
    #[must_use]
    pub const fn is_crash(&self) -> bool {
        matches!(self, Self::Crash | Self::CrashTorn { .. } | Self::CrashBefore { .. })
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash => f.write_str("crash"),
            Self::CrashTorn { rel, block, bytes } => write!(f, "crash torn {rel} {block} {bytes}"),
            Self::CrashBefore { kind } => write!(f, "crash before {kind}"),
            Self::Set { name, value } => write!(f, "set {name} {value}"),
            Self::Lsn(lsn) => write!(f, "lsn {lsn}"),
            Self::Xid(xid) => write!(f, "xid {xid}"),
            Self::Oid(oid) => write!(f, "oid {oid}"),
            Self::MultiXact(multi) => write!(f, "multixact {multi}"),
            Self::Redo(session) => write!(f, "redo {session}"),
            Self::Psql(command) => f.write_str(command),
        }
    }
}

/// A text that parses to the same items, but for the numbers of lines.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut session = FIRST_SESSION;
        for item in &self.items {
            match item {
                Item::Directive { directive, .. } => writeln!(f, "{}", directive.line())?,
                Item::Statement(statement) => {
                    if statement.session != session {
                        session = &statement.session;
                        writeln!(f, "--@ session {session}")?;
                    }
                    writeln!(f, "{};", statement.sql)?;
                    if let Some(data) = &statement.copy_data {
                        writeln!(f, "{data}\\.")?;
                    }
                }
            }
        }
        Ok(())
    }
}
