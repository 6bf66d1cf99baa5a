//! What functions read whose bodies are no strings (`BEGIN ATOMIC`, `RETURN`): they depend on it as a view does
//! (`interpret_AS_clause`, src/backend/commands/functioncmds.c; `recordDependencyOnExpr`).

use super::view;
use crate::sql::ast::{
    CreateFunction, Expr, ExprNode, FromItem, InsertSource, RangeVar, Select, Statement, Step, Target,
};
use crate::sql::catalog::SqlFunction;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// The tables and views that the body of a new function names; none where it is a string.
pub(super) fn reads(db: &Database, create: &CreateFunction) -> Option<Vec<Oid>> {
    create.standard?;
    let mut found = Vec::new();
    for sql in create.body.routine().steps.iter().flat_map(Step::embedded) {
        let (table, query) = parts(&sql.statement);
        found.extend(table.and_then(|name| db.find(name)));
        view::tables_of(db, &query, &mut found);
    }
    Some(found)
}

/// The table that a statement changes, and what it reads, as a query.
fn parts(statement: &Statement) -> (Option<&RangeVar>, Select) {
    let reading = |from: &[FromItem], filter: &Option<Expr>| Select {
        from: from.to_vec(),
        filter: filter.clone(),
        ..Select::default()
    };
    match statement {
        Statement::Select(query) => (None, Select::clone(query)),
        Statement::Insert(insert) => match &insert.source {
            InsertSource::Select(query) => (Some(&insert.table), Select::clone(query)),
            InsertSource::Defaults | InsertSource::Values(_) => (Some(&insert.table), Select::default()),
        },
        Statement::Update(update) => (Some(&update.table), reading(&update.from, &update.filter)),
        Statement::Delete(delete) => (Some(&delete.table), reading(&delete.using, &delete.filter)),
        _ => (None, Select::default()),
    }
}

/// What is to be changed of a table or view, by its columns' names, or all of it.
#[derive(Clone, Copy)]
pub(super) enum Touched<'a> {
    Column(&'a str),
    Whole,
}

/// Is there no function whose body reads this? A server refuses to change it, or follows with the function.
///
/// # Errors
/// A sentence that names the function.
pub(super) fn check_unread(db: &Database, relation: Oid, touched: Touched<'_>) -> Result<(), SqlError> {
    let is_read = |function: &SqlFunction| match touched {
        Touched::Whole => true,
        Touched::Column(name) => names(function, name),
    };
    for (_, number) in db.cluster.catalog.functions_with_oids() {
        let Some(function) = db.functions.get(number as usize) else { continue };
        if function.reads.iter().flatten().any(|of| *of == relation) && is_read(function) {
            let what = format!("changing what the body of a function ({}) reads", function.name);
            return Err(SqlError::new(NOT_SIMULATED, format!("{what} is not supported; drop the function first")));
        }
    }
    Ok(())
}

/// Is there no function whose body calls one of these, which are to be dropped?
///
/// # Errors
/// PostgreSQL's; with CASCADE a sentence.
pub(super) fn check_uncalled(db: &Database, gone: &[&str], cascade: bool) -> Result<(), SqlError> {
    let mut all: Vec<(Oid, u32)> = db.cluster.catalog.functions_with_oids().collect();
    all.sort_unstable();
    let functions = || all.iter().filter_map(|(_, number)| db.functions.get(*number as usize));
    let others = functions().filter(|function| function.reads.is_some() && !gone.contains(&&function.name[..]));
    let called =
        |function: &SqlFunction| functions().find(|it| gone.contains(&&it.name[..]) && calls(function, &it.name));
    let lines: Vec<(String, String)> =
        others.filter_map(|function| Some((function.signature(), called(function)?.signature()))).collect();
    let Some((_, first)) = lines.first() else { return Ok(()) };
    if cascade {
        let message = "DROP … CASCADE of a function that the body of another calls is not supported; drop that first";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let message = match gone {
        [_] => format!("cannot drop function {first} because other objects depend on it"),
        _ => String::from("cannot drop desired object(s) because other objects depend on them"),
    };
    let lines = lines.iter().map(|(by, on)| format!("function {by} depends on function {on}"));
    Err(SqlError::new("2BP01", message).with_detail(lines.collect::<Vec<_>>().join("\n")))
}

/// What is to be dropped, those behind whose bodies call them.
pub(super) fn callers_first(db: &Database, gone: &mut [&str]) {
    let function = |name: &str| db.functions.get(db.cluster.catalog.function(name)? as usize);
    let bodies: Vec<_> = gone.iter().filter_map(|name| function(name)).filter(|it| it.reads.is_some()).collect();
    gone.sort_by_key(|name| bodies.iter().any(|body| calls(body, name)));
}

/// Does the body call a function of this name?
fn calls(function: &SqlFunction, name: &str) -> bool {
    let routine = function.body.routine();
    routine.steps.iter().flat_map(Step::embedded).any(|sql| {
        let mut is_called = false;
        parts(&sql.statement).1.visit_mut(&mut |expr| {
            is_called |= matches!(&expr.node, ExprNode::Function { name: called, .. } if called == name);
        });
        is_called
    })
}

/// Does the body name a column so, of whatever table, or read all of them?
fn names(function: &SqlFunction, column: &str) -> bool {
    let routine = function.body.routine();
    routine.steps.iter().flat_map(Step::embedded).any(|sql| match &sql.statement {
        Statement::Select(query) => {
            let mut is_named = query.targets.iter().any(|target| matches!(target, Target::Star(_)));
            Select::clone(query).visit_mut(&mut |expr| {
                is_named |= matches!(&expr.node, ExprNode::Column { name, .. } if name == column);
            });
            is_named
        }
        _ => true,
    })
}
