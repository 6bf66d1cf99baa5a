//! Blocks of PL/pgSQL that run (src/pl/plpgsql/src/pl_exec.c).
//!
//! ```text
//!  Routine: steps ──Interpreter──▶ an expression: evaluated over the variables (`expr`)
//!                                  a statement: planned and kept, run as part of this one (`sql`)
//!                                  an error: back to the block with EXCEPTION (`exec`)
//! ```
//!
//! A step that has to wait for another session is begun again, or goes on, when that has ended.

mod call;
pub(in crate::sql) mod conditions;
mod cursor;
mod elements;
mod exec;
mod expr;
mod raise;
mod returning;
mod rows;
mod rows_of;
mod statement;
mod told;
mod variables;

pub(in crate::sql) use call::{call, call_procedure, call_set, row_type_of, run as run_function};
pub(in crate::sql) use variables::{columns_of, types_of};

use super::ast::Routine;
use super::commands::portal::FetchRows;
use super::executor::plan_source::PlanSource;
use super::executor::select::source::Rows;
use super::expr::{Typed, VariableRow};
use super::guc::function::Kept;
use super::tcop::Execution;
use super::tcop::dest::DestReceiver;
use crate::storage::{Buffer, MvccSnapshot};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use cursor::CursorLoop;
use ffviz_format::datum::{RowType, SqlError, SqlType, Value};
use ffviz_format::page::{ItemPointer, Oid};

/// A block that runs (`PLpgSQL_execstate`).
#[derive(Debug)]
pub(in crate::sql) struct Interpreter {
    routine: Arc<Routine>,
    returns: Returns,
    /// types and values of variables
    types: Vec<SqlType>,
    values: Vec<Value>,
    /// rows that are variables
    records: Vec<Option<Record>>,
    /// the step that comes next
    at: usize,
    loops: Vec<Loop>,
    /// blocks with EXCEPTION
    tries: Vec<Try>,
    /// errors that are being handled, the innermost last
    caught: Vec<SqlError>,
    /// what is kept of each statement and expression
    pub sites: Vec<Site>,
    /// the statement that runs
    running: Option<Box<Running>>,
    /// `eval_processed`
    row_count: i64,
    /// is it within a transaction that it cannot end?
    atomic: bool,
    /// what is told of the one that called it
    caller: Option<Arc<str>>,
    /// what RETURN gave
    pub result: Value,
    /// the row of a trigger's RETURN
    pub returned_row: Option<Vec<Value>>,
    /// types of the columns of its rows
    pub columns: Vec<SqlType>,
    /// their names
    pub column_names: Vec<String>,
    /// `tuple_store`: the rows that it gives
    pub set: Vec<Vec<Value>>,
    /// transition tables of a trigger
    pub tables: Vec<TransitionTable>,
    /// of a function that is not volatile the snapshot of the statement that calls it
    pub snapshot: Option<MvccSnapshot>,
    /// a FETCH that waits
    fetching: Option<Box<FetchRows>>,
    /// a procedure that it has called
    called: Option<Box<Self>>,
    /// of a procedure: the variables of what called it that get what its OUT arguments have
    targets: Vec<usize>,
    /// of CALL: where its row goes
    dest: Option<DestReceiver>,
    /// why a procedure within cannot end the transaction
    bars_end: BarsEnd,
    /// the settings that were before it, where it has its own
    settings: Option<Kept>,
}

/// What is around a procedure that CALL within PL/pgSQL runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum BarsEnd {
    #[default]
    Nothing,
    /// a loop over rows
    Rows,
}

/// What a block gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sql) enum Returns {
    /// nothing
    Nothing,
    /// a value
    Value(SqlType),
    /// the row of a trigger
    Trigger,
    /// what OUT arguments have
    Outs,
    /// a row
    Row,
    /// rows
    Set,
}

/// A row that is a variable (`PLpgSQL_rec`).
#[derive(Debug, Clone, Default)]
struct Record {
    columns: Vec<(String, SqlType)>,
    values: Vec<Value>,
    is_null: bool,
    /// is its type known beyond it (`assign_record_type_typmod`)? That of a query's row is once it was a value as a
    /// whole
    is_registered: bool,
    /// of a row of a table the table, and where it is stored
    place: Option<(Oid, Option<ItemPointer>)>,
    /// its type, where it was declared with one
    ty: Option<RowType>,
}

/// What is kept of a statement or an expression (`SPIPlanPtr`, `expr_simple_expr`).
#[derive(Debug, Clone, Default)]
pub(in crate::sql) enum Site {
    /// nothing yet
    #[default]
    Unknown,
    /// it is evaluated without a statement, for variables of these types
    Simple(SiteKey, Arc<Typed>),
    /// it is planned, likewise
    Planned(SiteKey, Box<PlanSource>),
}

/// Rows that a statement has changed, which a trigger after it reads as a table (`EphemeralNamedRelation`).
#[derive(Debug, Clone)]
pub(in crate::sql) struct TransitionTable {
    /// its name
    pub name: String,
    /// its columns
    pub columns: Vec<(String, SqlType)>,
    /// its rows
    pub rows: Arc<Rows>,
}

/// Types of variables, and the rows among them.
type SiteKey = (Vec<Oid>, Vec<VariableRow>);

/// A statement that runs.
#[derive(Debug)]
struct Running {
    execution: Execution,
    /// what its rows have
    columns: Vec<(String, SqlType)>,
    /// those that were read
    rows: Vec<Vec<Value>>,
    count: i64,
    /// what is told of it
    told: Option<Arc<str>>,
    /// is it EXPLAIN, whose rows are there from the beginning?
    is_explained: bool,
}

/// A loop that runs.
#[derive(Debug, Default)]
enum Loop {
    #[default]
    Ended,
    Integers {
        next: Option<i32>,
        end: i32,
        step: i32,
        reverse: bool,
        ran: bool,
    },
    /// what is left of an array, and the type of its elements
    Elements {
        left: VecDeque<Value>,
        element: SqlType,
        ran: bool,
    },
    Rows(Box<RowLoop>),
    /// over a cursor
    Cursor(Box<CursorLoop>),
}

/// A loop over rows.
#[derive(Debug)]
struct RowLoop {
    running: Running,
    /// rows that were fetched and not taken yet
    fetched: VecDeque<Vec<Value>>,
    /// how many are still to be fetched
    wanted: usize,
    /// have all come?
    ended: bool,
    ran: bool,
    /// blocks with EXCEPTION around it
    depth: usize,
}

/// A block with EXCEPTION.
#[derive(Debug)]
struct Try {
    /// the step that begins it
    step: usize,
    /// what scans around hold pinned
    pins: Vec<Buffer>,
    /// how many errors were being handled
    caught: usize,
}
