//! Functions that are called, in expressions and by CALL (`plpgsql_call_handler`, src/pl/plpgsql/src/pl_handler.c;
//! `ExecuteCallStmt`, src/backend/commands/functioncmds.c).

use super::variables::Bound;
use super::{BarsEnd, Interpreter, Loop, Returns, Site, told};
use crate::sql::StatementError;
use crate::sql::ast::{Call, Embedded, Expr, ExprNode, Object, Routine, RoutineKind, Statement, Volatility};
use crate::sql::catalog::{Catalog as _, SqlFunction};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::eval;
use crate::sql::expr::{Analyzer, Context, RangeTable, type_name};
use crate::sql::guc::function;
use crate::sql::tcop::Database;
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::storage::{Outcome, Stop};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{RowType, SqlError, SqlType, Value};
use ffviz_format::page::Oid;
use ffviz_story::timeline::ResultSet;

/// So many functions may be within one another: a server has more room, and an end too.
const DEEPEST: usize = 40;

/// Calls a function within a statement that runs.
///
/// # Errors
/// What it raises; it cannot wait for another session.
pub(in crate::sql) fn call(
    db: &mut Database,
    function: &SqlFunction,
    arguments: Vec<Value>,
) -> Result<Value, SqlError> {
    let interpreter = run(db, function, 0, returns_of(function), |interpreter| {
        arguments.into_iter().enumerate().for_each(|(number, value)| interpreter.set(number, value));
    })?;
    Ok(match interpreter.returns {
        Returns::Nothing if function.body.is_block() => Value::text(""),
        Returns::Outs => interpreter.outs().into_iter().next().unwrap_or(Value::Null),
        Returns::Row => match (interpreter.returned_row, function.row_type.and_then(|it| row_type_of(db, it))) {
            (Some(row), Some(ty)) => ty.form(&with_dropped(&ty, row)),
            _ => Value::Null,
        },
        _ => interpreter.result,
    })
}

/// The type of the rows of a table, or that of a composite type's relation.
pub(in crate::sql) fn row_type_of(db: &Database, relation: Oid) -> Option<RowType> {
    let catalog = &db.cluster.catalog;
    let of_type = catalog.composites().iter().find(|ty| ty.relation == relation).map(|ty| ty.oid);
    db.row_type(of_type.or_else(|| catalog.class(relation)?.row_type)?)
}

/// The values of the columns that are there, with NULL for those that were dropped.
fn with_dropped(ty: &RowType, values: Vec<Value>) -> Vec<Value> {
    let mut values = values.into_iter();
    let value = |dropped: bool| if dropped { None } else { values.next() };
    let dropped: Vec<bool> = ty.desc.attributes().iter().map(|it| it.dropped).collect();
    dropped.into_iter().map(value).map(|value| value.unwrap_or(Value::Null)).collect()
}

fn returns_of(function: &SqlFunction) -> Returns {
    match &function.columns[..] {
        _ if function.is_set => Returns::Set,
        [] => Returns::Nothing,
        _ if function.row_type.is_some() => Returns::Row,
        _ if function.has_outs => Returns::Outs,
        [(_, ty), ..] => Returns::Value(*ty),
    }
}

/// Calls a function that stands in FROM (`ExecMakeTableFunctionResult`, src/backend/executor/execSRF.c).
///
/// # Errors
/// As [`call`].
pub(in crate::sql) fn call_set(
    db: &mut Database,
    function: &SqlFunction,
    arguments: Vec<Value>,
) -> Result<Vec<Vec<Value>>, SqlError> {
    let nulls = || alloc::vec![Value::Null; function.columns.len().max(1)];
    if function.is_strict && arguments.iter().any(Value::is_null) {
        return Ok(if function.is_set { Vec::new() } else { Vec::from([nulls()]) });
    }
    let interpreter = run(db, function, 0, returns_of(function), |interpreter| {
        arguments.into_iter().enumerate().for_each(|(number, value)| interpreter.set(number, value));
    })?;
    let row = match interpreter.returns {
        Returns::Set => return Ok(interpreter.set),
        Returns::Outs if function.body.is_block() => interpreter.outs(),
        Returns::Outs | Returns::Row => interpreter.returned_row.unwrap_or_else(nulls),
        Returns::Nothing if function.body.is_block() => Vec::from([Value::text("")]),
        _ => Vec::from([interpreter.result]),
    };
    Ok(Vec::from([row]))
}

/// Runs a function to its end, as a trigger of a table or for none; `prepare` gives it its arguments.
///
/// # Errors
/// As [`call`].
pub(in crate::sql) fn run(
    db: &mut Database,
    function: &SqlFunction,
    table: Oid,
    returns: Returns,
    prepare: impl FnOnce(&mut Interpreter),
) -> Result<Interpreter, SqlError> {
    check_row_type(db, function)?;
    let routine = function.body.routine().clone();
    // what is planned for each query anew is not kept
    let keeps = !routine.is_sql || db.cluster.version().keeps_plans_of_sql_functions();
    let snapshot = match function.volatility {
        Volatility::Volatile => None,
        _ => Some(db.running.snapshot.clone().unwrap_or_else(|| db.cluster.take_snapshot())),
    };
    let session = db.session();
    if session.depth >= DEEPEST {
        return Err(SqlError::new(NOT_SIMULATED, "functions that call each other so often are not supported"));
    }
    session.depth += 1;
    let sites = session.routines.remove(&(function.number, table)).unwrap_or_default();
    let around = (core::mem::take(&mut db.params), db.cluster.pg.backend().snapshot.clone());
    let caller = db.cluster.pg.trace.within().cloned();
    let told = db.cluster.pg.trace.on.then(|| told::behind(caller.as_ref(), &format!("{}()", function.name)));
    db.cluster.pg.trace.enter(told);
    let begun = interpreter(db, function, routine, returns, (true, sites));
    let ran = begun.map_err(Stop::Error).and_then(|mut interpreter| {
        interpreter.columns = function.columns.iter().map(|(_, ty)| *ty).collect();
        interpreter.column_names = function.columns.iter().map(|(name, _)| name.clone()).collect();
        interpreter.snapshot = snapshot;
        prepare(&mut interpreter);
        let ran = interpreter.go_on(db);
        let sites = core::mem::take(&mut interpreter.sites);
        if keeps {
            db.session().routines.insert((function.number, table), sites);
        }
        ran.map(|()| interpreter)
    });
    (db.params, db.cluster.pg.backend_mut().snapshot) = around;
    db.cluster.pg.trace.enter(caller);
    db.session().depth -= 1;
    ran.map_err(|stop| match stop {
        Stop::Error(error) => error,
        Stop::Wait(_) => SqlError::new(NOT_SIMULATED, "a function that waits for another session is not supported"),
    })
}

/// What runs it, under its own settings.
fn interpreter(
    db: &mut Database,
    function: &SqlFunction,
    routine: Arc<Routine>,
    returns: Returns,
    (atomic, sites): (bool, Vec<Site>),
) -> Result<Interpreter, SqlError> {
    let oid = db.cluster.catalog.function_oid(&function.name).filter(|_| function.is_definer);
    let definer = oid.map(|oid| db.cluster.owner_of(oid)).filter(|owner| *owner != db.cluster.user());
    let settings = function::enter(db, &function.settings, definer)?;
    match Interpreter::new(db, routine, returns, (atomic, sites)) {
        Ok(interpreter) => Ok(Interpreter { settings, ..interpreter }),
        Err(error) => {
            settings.into_iter().for_each(|kept| function::leave(db, kept));
            Err(error)
        }
    }
}

/// Has the table whose rows it gives the columns that it had?
fn check_row_type(db: &Database, function: &SqlFunction) -> Result<(), SqlError> {
    let Some(table) = function.row_type else { return Ok(()) };
    let attributes = match db.cluster.catalog.composites().iter().find(|ty| ty.relation == table) {
        Some(ty) => ty.attributes.clone(),
        None => db.cluster.pg.relation(table)?.desc.attributes().to_vec(),
    };
    let there = attributes.iter().filter(|it| !it.dropped);
    let is_same = there.map(|it| (&it.name, it.ty().oid)).eq(function.columns.iter().map(|(name, ty)| (name, ty.oid)));
    if is_same {
        return Ok(());
    }
    let message = "a function that gives rows of a table which has other columns since is not supported";
    Err(SqlError::new(NOT_SIMULATED, message))
}

/// CALL: what runs.
///
/// # Errors
/// There is no such procedure; what evaluating its arguments raises.
pub(in crate::sql) fn call_procedure(db: &mut Database, call: &Call) -> Result<Interpreter, StatementError> {
    let in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    called(db, call, (&Bound::default(), None), in_block)
}

/// The variables that get what the OUT arguments have, in a block: the arguments have to be such
/// (`make_callstmt_target`, src/pl/plpgsql/src/pl_exec.c).
fn targets(procedure: &SqlFunction, given: &[Expr], sql: &Embedded) -> Result<Vec<usize>, StatementError> {
    let target = |(place, (name, _)): (&Option<usize>, &(String, SqlType))| {
        let value = given.get((*place)?).map(|it| if let ExprNode::Named(_, value) = &it.node { value } else { it });
        let variable = match value.map(|value| &value.node) {
            Some(ExprNode::Column { table: None, name }) => sql.params.iter().find(|(known, _)| known == name),
            _ => None,
        };
        let message = || {
            format!("procedure parameter \"{name}\" is an output parameter but corresponding argument is not writable")
        };
        Some(variable.map(|(_, datum)| *datum).ok_or_else(|| StatementError::server("42601", message())))
    };
    procedure.inouts.iter().zip(&procedure.columns).filter_map(target).collect()
}

/// The same with variables that its arguments may name; `atomic`: it cannot end the transaction.
fn called(
    db: &mut Database,
    call: &Call,
    (bound, sql): (&Bound, Option<&Embedded>),
    atomic: bool,
) -> Result<Interpreter, StatementError> {
    db.cluster.take_snapshot();
    let range = RangeTable::default();
    let mut analyzer = Analyzer::new(&range, Context::input(db), "CALL arguments");
    (analyzer.functions, analyzer.enums, analyzer.extensions) = (db.sql_functions(), db.enums(), db.extensions());
    analyzer.row_types = db.row_types();
    analyzer.params.clone_from(&bound.types);
    (analyzer.variables, analyzer.rows) = (&bound.names, &bound.rows);
    let Some(procedure) = analyzer.functions.iter().find(|function| function.name == call.name).cloned() else {
        let given = call.arguments.iter().map(|arg| analyzer.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<_> = given.iter().map(|argument| type_name(argument.ty.oid)).collect();
        let message = format!("procedure {}({}) does not exist", call.name, types.join(", "));
        return Err(StatementError::server("42883", message));
    };
    let types: Vec<Oid> = procedure.arguments.iter().map(|(_, ty)| ty.oid).collect();
    let arguments = analyzer.in_places_of(&procedure, &call.arguments)?;
    let missing = types.len().checked_sub(arguments.len()).filter(|count| *count <= procedure.defaults.len());
    let defaults = &procedure.defaults[procedure.defaults.len() - missing.unwrap_or(0)..];
    let arguments: Vec<Expr> = arguments.iter().chain(defaults).cloned().collect();
    let given = arguments.iter().map(|arg| analyzer.expr(arg)).collect::<Result<Vec<_>, _>>()?;
    let (_, given) = analyzer.chosen(&call.name, &[&types], given)?;
    if procedure.kind != RoutineKind::Procedure {
        return Err(StatementError::server("42809", format!("{} is not a procedure", procedure.signature())));
    }
    let targets = sql.map(|sql| targets(&procedure, &arguments, sql)).transpose()?.unwrap_or_default();
    let lookups = core::mem::take(&mut analyzer.lookups);
    drop(analyzer);
    db.cluster.look_up(lookups);
    let outside = core::mem::replace(&mut db.params, bound.values.clone());
    let values: Result<Vec<Value>, Stop> = given.iter().map(|argument| eval(db, argument, &[], &[])).collect();
    db.params = outside;
    let values = values.map_err(|stop| match stop {
        Stop::Error(error) => StatementError::from(error),
        Stop::Wait(_) => StatementError::unsupported("an argument that waits is not supported", None),
    })?;
    let routine = procedure.body.routine().clone();
    let begun = begin(db, &procedure, routine, (values, atomic))?;
    Ok(Interpreter { targets, ..begun })
}

impl Interpreter {
    /// `exec_stmt_call`
    pub(super) fn call_procedure(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<()> {
        if self.called.is_none() {
            let Statement::Object(Object::Call(call)) = &sql.statement else { return Ok(()) };
            self.next_command(db);
            if db.session().depth >= DEEPEST {
                let message = "procedures that call each other so often are not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            let bound = self.bound(sql);
            // a subtransaction is a block, within which no transaction ends (`IsTransactionBlock`)
            let atomic = self.atomic || !self.tries.is_empty();
            let mut called =
                called(db, call, (&bound, Some(sql)), atomic).map_err(|error| Stop::Error(error.error_with_place()))?;
            called.bars_end = match self.bars_end {
                BarsEnd::Nothing if self.loops.iter().any(|it| matches!(it, Loop::Rows(_) | Loop::Cursor(_))) => {
                    BarsEnd::Rows
                }
                around => around,
            };
            self.called = Some(Box::new(called));
        }
        let Some(mut called) = self.called.take() else { return Ok(()) };
        db.session().depth += 1;
        let ran = called.go_on(db);
        db.session().depth -= 1;
        if let Err(stop) = ran {
            if let Stop::Wait(_) = stop {
                self.called = Some(called);
            }
            return Err(stop);
        }
        self.next_command(db);
        let outs = called.outs().into_iter().zip(called.columns.iter().copied());
        called.targets.iter().zip(outs).try_for_each(|(target, out)| self.assign(db, *target, out))
    }

    /// The row that CALL gives is to be kept.
    pub(in crate::sql) fn keep(&mut self, kept: Kept) {
        let columns = self.column_names.iter().cloned().zip(self.columns.iter().copied());
        self.dest = (self.returns == Returns::Outs).then(|| DestReceiver::new(kept, columns));
    }

    /// It is sent.
    ///
    /// # Errors
    /// A value that is not printed.
    pub(in crate::sql) fn send(&mut self) -> Result<(), SqlError> {
        let row = self.outs();
        self.dest.as_mut().map_or(Ok(()), |dest| dest.receive(&row).map(drop))
    }

    /// What was kept.
    pub(in crate::sql) fn finish(&mut self) -> Option<ResultSet> {
        self.dest.take().map(DestReceiver::finish)
    }
}

fn begin(
    db: &mut Database,
    procedure: &Arc<SqlFunction>,
    routine: Arc<Routine>,
    (values, atomic): (Vec<Value>, bool),
) -> Result<Interpreter, StatementError> {
    let sites = db.session().routines.get(&(procedure.number, 0)).cloned().unwrap_or_default();
    let atomic = atomic || procedure.is_definer || !procedure.settings.is_empty();
    let returns = if procedure.columns.is_empty() { Returns::Nothing } else { Returns::Outs };
    let mut interpreter = interpreter(db, procedure, routine, returns, (atomic, sites))?;
    interpreter.columns = procedure.columns.iter().map(|(_, ty)| *ty).collect();
    interpreter.column_names = procedure.columns.iter().map(|(name, _)| name.clone()).collect();
    values.into_iter().enumerate().for_each(|(number, value)| interpreter.set(number, value));
    Ok(interpreter)
}
