//! Blocks and functions of PL/pgSQL: what `plpgsql_compile` (src/pl/plpgsql/src/pl_comp.c) leaves of a text.
//!
//! ```text
//!  BEGIN … FOR i IN 1..3 LOOP … END LOOP; … END     0 ForInteger   1 NextInteger ─▶ 4   2 …   3 Jump ─▶ 1   4 EndLoop
//! ```
//!
//! PostgreSQL keeps a tree of statements. Here they are steps in a row, with jumps, so that a block that waits for
//! another session goes on where it stood.

use super::{Expr, FetchDirection, RangeVar, Statement};
use crate::sql::expr::TEXT_ARRAY;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// A block with all that it needs (`PLpgSQL_function`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routine {
    /// its variables, by number; the first ones are the arguments
    pub datums: Vec<Datum>,
    /// how many arguments there are
    pub arguments: usize,
    /// its steps
    pub steps: Vec<Step>,
    /// how many statements and expressions it has
    pub sites: usize,
    /// how many loops
    pub loops: usize,
    /// the variable `found`
    pub found: usize,
    /// the variables of OUT arguments and of RETURNS TABLE
    pub outs: Vec<usize>,
    /// is it the text of a function in SQL? There a column stands before a variable of its name
    pub is_sql: bool,
    /// the variables of a trigger
    pub trigger: Option<TriggerDatums>,
    /// cursors that are declared with a query
    pub cursors: Vec<DeclaredCursor>,
}

/// `name CURSOR (arguments) FOR query`.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredCursor {
    /// the variable
    pub variable: usize,
    /// its name
    pub name: String,
    /// SCROLL, or NO SCROLL
    pub scroll: Option<bool>,
    /// the variables that are its arguments, with their names
    pub arguments: Vec<(String, usize)>,
    /// its query
    pub query: Embedded,
}

/// What OPEN runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Opened {
    /// the query of that cursor, with its arguments
    Declared(usize, Vec<(usize, Embedded)>),
    /// FOR query
    Query(Embedded),
    /// FOR EXECUTE, with its USING
    Dynamic(Embedded, Vec<Embedded>),
}

/// FETCH or MOVE.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchStep {
    /// the variable of the cursor
    pub variable: usize,
    /// MOVE: rows are passed over
    pub is_move: bool,
    /// where to, with how many rows or which one where that is an expression
    pub direction: FetchDirection,
    /// the number in its place
    pub count: Option<Embedded>,
    /// where the row goes to
    pub targets: Vec<usize>,
}

/// Variables that a trigger's function has of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerDatums {
    /// `new`
    pub new: usize,
    /// `old`
    pub old: usize,
    /// the first of those that begin with `tg_`, in the order of [`TG`]
    pub first: usize,
}

/// The variables that say what a trigger is called for: their names, and whether they are numbers.
pub const TG: [(&str, SqlType); 10] = [
    ("tg_name", SqlType::TEXT),
    ("tg_when", SqlType::TEXT),
    ("tg_level", SqlType::TEXT),
    ("tg_op", SqlType::TEXT),
    ("tg_relid", SqlType::OID),
    ("tg_relname", SqlType::TEXT),
    ("tg_table_name", SqlType::TEXT),
    ("tg_table_schema", SqlType::TEXT),
    ("tg_nargs", SqlType::INT4),
    ("tg_argv", SqlType::plain(TEXT_ARRAY)),
];

/// A variable (`PLpgSQL_datum`).
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// of one value
    Var {
        /// its name
        name: String,
        /// its type
        ty: DeclaredType,
        /// NOT NULL
        not_null: bool,
    },
    /// a row
    Record {
        /// its name
        name: String,
        /// of a table's rows, where it was declared so
        of: Option<RangeVar>,
    },
    /// a column of a row that is a variable
    Field {
        /// the row
        record: usize,
        /// the column
        name: String,
    },
}

/// The type of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredType {
    /// this one
    Known(SqlType),
    /// that of a table's column
    Column(RangeVar, String),
    /// that of another variable
    Variable(usize),
    /// whatever is assigned to it
    Assigned,
}

/// SQL within a block, with the variables that it may name (`PLpgSQL_expr`).
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// its number within the block
    pub site: usize,
    /// as it is written, on one line
    pub text: String,
    /// of an expression the SELECT of it
    pub statement: Statement,
    /// names as they stand there, and the variables that they are
    pub params: Vec<(String, usize)>,
    /// names of rows that it may name as a whole, and the variables that they are
    pub rows: Vec<(String, usize)>,
}

impl Embedded {
    /// The expression, where it is one without FROM and its like.
    #[must_use]
    pub fn expr(&self) -> Option<&Expr> {
        let Statement::Select(select) = &self.statement else { return None };
        let [super::Target::Expr { expr, .. }] = &select.targets[..] else { return None };
        let is_alone = select.with.is_empty() && select.set.is_none() && select.from.is_empty();
        let is_plain = select.filter.is_none()
            && select.group_by.is_empty()
            && select.grouping_sets.is_empty()
            && select.having.is_none();
        let is_one = select.distinct.is_none() && select.limit.is_none() && select.offset.is_none();
        let has_query = || {
            let mut found = Vec::new();
            expr.queries(&mut found);
            !found.is_empty()
        };
        (is_alone && is_plain && is_one && select.order_by.is_empty() && !has_query()).then_some(expr)
    }
}

/// INTO.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Into {
    /// where to: one row, or values one by one
    pub targets: Vec<usize>,
    /// STRICT
    pub strict: bool,
}

/// What a step of a block does.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// a variable begins, with its default (`exec_stmt_block`)
    Begin(usize, Option<Embedded>),
    /// `variable := expression`
    Assign(usize, Embedded),
    /// a row becomes another one
    AssignRow(usize, usize),
    /// goes on at that step
    Jump(usize),
    /// the same where the condition does not hold
    Unless(Embedded, usize),
    /// a statement of SQL; true: PERFORM
    Sql(Embedded, Option<Into>, bool),
    /// EXECUTE: the text, INTO, USING
    Dynamic(Embedded, Option<Into>, Vec<Embedded>),
    /// FOR over integers begins
    ForInteger(Box<ForInteger>),
    /// the variable's next value, unless it has had its last one: then it goes on at that step
    NextInteger {
        /// which loop
        number: usize,
        /// its variable
        variable: usize,
        /// where it ends
        end: usize,
    },
    /// FOREACH over the elements of an array begins, or over its parts of so many dimensions
    ForEach(usize, Embedded, u32),
    /// the next element, unless there is none: then it goes on at that step
    NextElement {
        /// which loop
        number: usize,
        /// where the element goes to
        variable: usize,
        /// where it ends
        end: usize,
    },
    /// FOR over the rows of a query begins
    ForRows(usize, Embedded),
    /// the same of EXECUTE, with its USING
    ForDynamic(usize, Embedded, Vec<Embedded>),
    /// the next row, unless there is none: then it goes on at that step
    NextRow {
        /// which loop
        number: usize,
        /// where the row goes to
        targets: Vec<usize>,
        /// where it ends
        end: usize,
    },
    /// a FOR loop has ended, by itself or by EXIT
    EndLoop(usize),
    /// no WHEN of a CASE without ELSE
    CaseNotFound,
    /// RAISE
    Raise(Box<Raise>),
    /// ASSERT: condition, message
    Assert(Box<(Embedded, Option<Embedded>)>),
    /// GET DIAGNOSTICS … = ROW_COUNT
    RowCount(usize),
    /// GET STACKED DIAGNOSTICS: which, and where to
    Stacked(Vec<(usize, StackedItem)>),
    /// COMMIT; false: ROLLBACK
    EndTransaction(bool),
    /// CALL
    Call(Embedded),
    /// an element of an array, by its number, is assigned
    AssignElement(usize, Box<(Embedded, Embedded)>),
    /// a cursor begins: it has its own name until 15
    BeginCursor(usize, String),
    /// OPEN: the variable, SCROLL, the query
    Open(usize, Option<bool>, Box<Opened>),
    /// FETCH, MOVE
    Fetch(Box<FetchStep>),
    /// CLOSE
    Close(usize),
    /// FOR over the rows of a cursor begins: which loop, the variable, the query
    ForCursor(usize, usize, Box<Opened>),
    /// an error that the statement here always is
    Fail(&'static str, &'static str),
    /// a block with EXCEPTION begins
    Try(Vec<Handler>),
    /// and ends without an error
    EndTry,
    /// an exception has been handled
    EndHandler,
    /// RETURN of a value, or of a variable that is a row; it leaves the block by [`Self::End`]
    Return(Option<Embedded>),
    /// RETURN of a row
    ReturnRow(usize),
    /// RETURN NEXT of a value; of the OUT arguments where there is none
    ReturnNext(Option<Embedded>),
    /// RETURN NEXT of a row
    ReturnNextRow(usize),
    /// RETURN QUERY
    ReturnQuery(Embedded),
    /// RETURN QUERY EXECUTE, with its USING
    ReturnDynamic(Embedded, Vec<Embedded>),
    /// the last statement of a function in SQL, which gives its first row
    Result(Embedded),
    /// it is over; false: by running to its end
    End(bool),
}

/// FOR over integers.
#[derive(Debug, Clone, PartialEq)]
pub struct ForInteger {
    /// which loop
    pub number: usize,
    /// its variable
    pub variable: usize,
    /// the first value
    pub from: Embedded,
    /// the last one
    pub to: Embedded,
    /// BY
    pub by: Option<Embedded>,
    /// REVERSE
    pub reverse: bool,
}

/// WHEN of EXCEPTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// SQLSTATEs, of which one with three zeros is a class; none: OTHERS
    pub conditions: Vec<Option<String>>,
    /// its first step
    pub step: usize,
    /// the variables `sqlstate` and `sqlerrm` there
    pub variables: (usize, usize),
}

/// What GET STACKED DIAGNOSTICS tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackedItem {
    /// `RETURNED_SQLSTATE`
    Sqlstate,
    /// `MESSAGE_TEXT`
    Message,
    /// `PG_EXCEPTION_DETAIL`
    Detail,
    /// `CONSTRAINT_NAME`
    Constraint,
    /// `COLUMN_NAME`
    Column,
}

/// RAISE.
#[derive(Debug, Clone, PartialEq)]
pub struct Raise {
    /// is it an error? Else it is told
    pub is_error: bool,
    /// the word of its level
    pub level: &'static str,
    /// is the error that was caught raised again?
    pub again: bool,
    /// SQLSTATE of a condition that is named
    pub sqlstate: Option<&'static str>,
    /// what stands in place of a message, where there is none
    pub condition: Option<String>,
    /// the message, with a `%` for each argument
    pub format: Option<String>,
    /// the arguments
    pub arguments: Vec<Embedded>,
    /// USING
    pub using: Vec<(RaiseOption, Embedded)>,
}

/// What USING of RAISE gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaiseOption {
    /// ERRCODE
    Errcode,
    /// MESSAGE
    Message,
    /// DETAIL
    Detail,
    /// what is told and not kept: HINT and names
    Other,
}

impl Step {
    /// The SQL that it has.
    pub fn embedded(&self) -> Vec<&Embedded> {
        match self {
            Self::Begin(_, sql) | Self::Return(sql) | Self::ReturnNext(sql) => sql.iter().collect(),
            Self::ReturnQuery(sql) | Self::Result(sql) => Vec::from([sql]),
            Self::Assign(_, sql) | Self::Unless(sql, _) | Self::Sql(sql, ..) => Vec::from([sql]),
            Self::ForRows(_, sql) | Self::ForEach(_, sql, _) | Self::Call(sql) => Vec::from([sql]),
            Self::AssignElement(_, parts) => Vec::from([&parts.0, &parts.1]),
            Self::Open(_, _, opened) | Self::ForCursor(_, _, opened) => match &**opened {
                Opened::Declared(_, arguments) => arguments.iter().map(|(_, sql)| sql).collect(),
                Opened::Query(sql) => Vec::from([sql]),
                Opened::Dynamic(sql, using) => core::iter::once(sql).chain(using).collect(),
            },
            Self::Fetch(fetch) => fetch.count.iter().collect(),
            Self::Dynamic(sql, _, using) | Self::ForDynamic(_, sql, using) | Self::ReturnDynamic(sql, using) => {
                core::iter::once(sql).chain(using).collect()
            }
            Self::ForInteger(it) => [&it.from, &it.to].into_iter().chain(&it.by).collect(),
            Self::Assert(it) => core::iter::once(&it.0).chain(&it.1).collect(),
            Self::Raise(raise) => raise.arguments.iter().chain(raise.using.iter().map(|(_, sql)| sql)).collect(),
            _ => Vec::new(),
        }
    }

    /// Is its SQL known only when it runs?
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        match self {
            Self::Dynamic(..) | Self::ForDynamic(..) | Self::ReturnDynamic(..) | Self::Call(_) => true,
            Self::Open(_, _, opened) | Self::ForCursor(_, _, opened) => matches!(**opened, Opened::Dynamic(..)),
            _ => false,
        }
    }
}
