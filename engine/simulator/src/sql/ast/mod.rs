//! The statements that the simulator knows, as a tree: what `raw_parser` makes of them
//! (src/include/nodes/parsenodes.h), with exactly the parts that are supported.

mod children;
mod ddl;
mod expr;
mod merge;
mod object;
mod partition;
mod plpgsql;
mod query;
mod recurses;
mod rename;
mod role;
mod session;
mod statistics;
mod trigger;
mod utility;

pub use ddl::*;
pub use expr::*;
pub use merge::*;
pub use object::*;
pub use partition::*;
pub use plpgsql::*;
pub use query::*;
pub use rename::*;
pub use role::*;
pub use session::*;
pub use statistics::*;
pub use trigger::*;
pub use utility::*;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a statement is one of few, and is not moved about")]
pub enum Statement {
    /// CREATE TABLE
    CreateTable(CreateTable),
    /// CREATE TABLE … AS
    CreateTableAs(CreateTableAs),
    /// CREATE INDEX
    CreateIndex(CreateIndex),
    /// CREATE SEQUENCE
    CreateSequence(CreateSequence),
    /// ALTER SEQUENCE
    AlterSequence(AlterSequence),
    /// DROP TABLE, DROP INDEX, DROP SEQUENCE
    Drop(Drop),
    /// TRUNCATE
    Truncate(Truncate),
    /// ALTER TABLE, and ALTER INDEX SET
    AlterTable(AlterTable),
    /// ALTER … RENAME
    Rename(Rename),
    /// INSERT
    Insert(Insert),
    /// COPY … FROM STDIN
    Copy(Copy),
    /// COPY … TO STDOUT
    CopyTo(CopyTo),
    /// UPDATE
    Update(Update),
    /// DELETE
    Delete(Delete),
    /// MERGE
    Merge(Box<Merge>),
    /// WITH before a statement that changes rows
    With(Box<With>),
    /// SELECT
    Select(Select),
    /// EXPLAIN
    Explain(Box<Self>, ExplainOptions),
    /// BEGIN, COMMIT, SAVEPOINT …
    Transaction(Transaction),
    /// DO
    Do(Box<Routine>),
    /// VACUUM
    Vacuum(Vacuum),
    /// ANALYZE of these tables; of all when there is none
    Analyze(Vec<RangeVar>, Vec<Vec<String>>),
    /// CHECKPOINT
    Checkpoint,
    /// CLUSTER
    Cluster(Cluster),
    /// REINDEX
    Reindex(Reindex),
    /// SET, RESET
    Set(Set),
    /// SHOW of a setting
    Show(String),
    /// ALTER SYSTEM
    AlterSystem(Set),
    /// CREATE EXTENSION, DROP EXTENSION
    Extension(Extension),
    /// COMMENT ON
    Comment(Comment),
    /// GRANT, REVOKE
    Grant(Grant),
    /// LOCK TABLE
    Lock(Lock),
    /// DISCARD
    Discard(Discard),
    /// REFRESH MATERIALIZED VIEW
    RefreshMatView(RefreshMatView),
    /// SET CONSTRAINTS
    SetConstraints(SetConstraints),
    /// LISTEN, UNLISTEN, NOTIFY
    Notification(Notification),
    /// of what has a name and no pages
    Object(Object),
}

/// What EXPLAIN tells (`ExplainState`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainOptions {
    /// what nodes cost
    pub costs: bool,
    /// ANALYZE: the statement is run
    pub analyze: bool,
    /// WAL
    pub wal: bool,
    /// TIMING or SUMMARY, which give times
    pub times: bool,
    /// BUFFERS; `None`: nothing is said of it
    pub buffers: Option<bool>,
    /// `GENERIC_PLAN`: for so many parameters, of any values
    pub generic: Option<u16>,
    /// VERBOSE
    pub verbose: bool,
    /// FORMAT
    pub format: ExplainFormat,
    /// the first option that came with 17
    pub newer: Option<&'static str>,
}

/// How EXPLAIN tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainFormat {
    /// line by line
    Text,
    /// as JSON
    Json,
    /// as YAML
    Yaml,
    /// as XML
    Xml,
}

/// The name of a relation (`RangeVar`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeVar {
    /// the schema, where it is given
    pub schema: Option<String>,
    /// the name, as it stands in the catalog
    pub name: String,
    /// ONLY: without the tables that inherit from it (not `inh`)
    pub only: bool,
}

impl RangeVar {
    /// A name as it is written alone.
    #[must_use]
    pub const fn new(schema: Option<String>, name: String) -> Self {
        Self { schema, name, only: false }
    }
}

impl fmt::Display for RangeVar {
    /// Without quotes, as in PostgreSQL's messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// `name = value` in parentheses (`DefElem`): storage parameters, options of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefElem {
    /// in small letters; with its namespace, such as `toast.autovacuum_enabled`
    pub name: String,
    /// as written, a string without its quotes; `None` for a bare name, which means true
    pub value: Option<String>,
}
