//! PREPARE, EXECUTE, DEALLOCATE (src/backend/commands/prepare.c): what is prepared lasts as long as the session,
//! whatever becomes of the
//! transaction.

use super::matview;
use crate::sql::StatementError;
use crate::sql::ast::{Execute, Prepare, Statement};
use crate::sql::catalog::Catalog as _;
use crate::sql::executor::plan_source::PlanSource;
use crate::sql::executor::row::eval;
use crate::sql::expr::{Analyzer, Context, RangeTable, Typed};
use crate::sql::permission;
use crate::sql::plan::{Given, Plan, plan};
use crate::sql::tcop::{Database, Execution, read_only};
use crate::storage::Stop;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::Oid;

/// What is kept by a name (`PreparedStatement`).
#[derive(Debug, Clone)]
pub(in crate::sql) struct PreparedStatement {
    pub statement: Statement,
    /// the text of PREPARE
    pub text: String,
    types: Vec<Oid>,
    /// names and types of its columns
    columns: Vec<(String, SqlType)>,
    source: PlanSource,
}

/// A plan of a prepared statement, with the values that it is run with.
pub(in crate::sql) struct PlannedExecute {
    pub statement: Statement,
    pub plan: Plan,
    pub values: Vec<Value>,
}

impl PreparedStatement {
    /// `parameter_types`
    pub fn types(&self) -> &[Oid] {
        &self.types
    }

    /// `result_types`; none where it gives no rows
    pub fn result_types(&self) -> Vec<Oid> {
        self.columns.iter().map(|(_, ty)| ty.oid).collect()
    }

    /// How many generic and custom plans were used.
    pub const fn plans(&self) -> (u32, u32) {
        self.source.plans()
    }
}

/// `PrepareQuery`
pub(in crate::sql) fn prepare(db: &mut Database, prepare: &Prepare) -> Result<(), StatementError> {
    let mut given = Given { params: prepare.types.iter().map(|ty| ty.oid).collect(), ..Given::default() };
    let parameters = usize::from(prepare.parameters).max(given.params.len());
    given.params.resize(parameters, Analyzer::UNDECIDED);
    let planned = plan(&prepare.statement, db, &mut given)?;
    let columns = planned.as_ref().map_or_else(Vec::new, Plan::columns);
    db.cluster.take_snapshot();
    if let Some(at) = given.params.iter().position(|oid| *oid == Analyzer::UNDECIDED) {
        let message = format!("could not determine data type of parameter ${}", at + 1);
        return Err(StatementError::server("42P18", message));
    }
    let known = &mut db.session().prepared;
    if known.contains_key(&prepare.name) {
        let message = format!("prepared statement \"{}\" already exists", prepare.name);
        return Err(StatementError::server("42P05", message));
    }
    let statement = (*prepare.statement).clone();
    let source = PlanSource::new(statement.clone(), given.params.clone(), Vec::new());
    let text = prepare.text.clone();
    known.insert(prepare.name.clone(), PreparedStatement { statement, text, types: given.params, columns, source });
    Ok(())
}

/// `ExecuteQuery`
pub(in crate::sql) fn execute(db: &mut Database, execute: &Execute) -> Result<Execution, StatementError> {
    let snapshot = db.cluster.take_snapshot();
    let PlannedExecute { statement, plan: planned, values } = plan_execute(db, execute)?;
    read_only::check_query(db, &planned)?;
    permission::check_query(db, &statement)?;
    matview::check_query(db, &statement)?;
    let explained = planned.explain();
    db.cluster.pg.backend_mut().snapshot = Some(snapshot);
    let outside = core::mem::replace(&mut db.params, values.clone());
    let started = Execution::start_planned(db, planned);
    db.params = outside;
    match started {
        Ok(started) => Ok(Execution { plan: explained, params: values, ..started }),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::Wait(_)) => Err(StatementError::server("XX000", "a scan waits before it begins")),
    }
}

/// What EXECUTE runs, and EXPLAIN tells of it (`GetCachedPlan`).
///
/// # Errors
/// There is no such statement; its columns are others by now; those of planning it.
pub(in crate::sql) fn plan_execute(db: &mut Database, execute: &Execute) -> Result<PlannedExecute, StatementError> {
    let Some(mut prepared) = db.session().prepared.get(&execute.name).cloned() else {
        return Err(missing(&execute.name).into());
    };
    let values = arguments(db, execute, &prepared.types)?;
    let planned = prepared.source.plan(db, &values)?;
    let Some(plan) = planned else { return Err(StatementError::server("XX000", "a statement without a plan")) };
    if plan.columns() != prepared.columns {
        return Err(StatementError::server("0A000", "cached plan must not change result type"));
    }
    let statement = prepared.statement.clone();
    db.session().prepared.insert(execute.name.clone(), prepared);
    Ok(PlannedExecute { statement, plan, values })
}

/// `EvaluateParams`
fn arguments(db: &mut Database, execute: &Execute, types: &[Oid]) -> Result<Vec<Value>, StatementError> {
    if execute.arguments.len() != types.len() {
        let message = format!("wrong number of parameters for prepared statement \"{}\"", execute.name);
        let detail = format!("Expected {} parameters but got {}.", types.len(), execute.arguments.len());
        return Err(SqlError::new("42601", message).with_detail(detail).into());
    }
    let mut values = Vec::with_capacity(types.len());
    for (n, (argument, oid)) in execute.arguments.iter().zip(types).enumerate() {
        let (range, ty) = (RangeTable::default(), SqlType::plain(*oid));
        let input = Context::input(db);
        let mut analyzer = Analyzer::new(&range, input, "EXECUTE parameter");
        analyzer.enums = db.enums();
        analyzer.row_types = db.row_types();
        let typed: Typed = analyzer.argument(argument, n + 1, ty)?;
        let lookups = core::mem::take(&mut analyzer.lookups);
        db.look_up(lookups);
        values.push(eval(db, &typed, &[], &[]).map_err(|stop| match stop {
            Stop::Error(error) => StatementError::from(error),
            Stop::Wait(_) => StatementError::server("XX000", "a value that waits"),
        })?);
    }
    Ok(values)
}

/// `DeallocateQuery`
pub(in crate::sql) fn deallocate(db: &mut Database, name: Option<&str>) -> Result<String, SqlError> {
    let Some(name) = name else {
        db.session().prepared.clear();
        return Ok("DEALLOCATE ALL".to_string());
    };
    let was_there = db.session().prepared.remove(name).is_some();
    if was_there { Ok("DEALLOCATE".to_string()) } else { Err(missing(name)) }
}

fn missing(name: &str) -> SqlError {
    SqlError::new("26000", format!("prepared statement \"{name}\" does not exist"))
}

impl Database {
    /// The statement that the running session has prepared by that name.
    #[must_use]
    pub fn prepared_statement(&self, name: &str) -> Option<&Statement> {
        let session = self.sessions.get(&self.cluster.pg.me)?;
        session.prepared.get(name).map(|prepared| &prepared.statement)
    }
}
