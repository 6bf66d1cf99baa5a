//! CREATE FUNCTION, DROP FUNCTION, of functions in SQL and PL/pgSQL (`CreateFunction`,
//! src/backend/commands/functioncmds.c; `fmgr_sql_validator`, src/backend/catalog/pg_proc.c).

use super::{function_body, trigger, user};
use crate::cluster::roles::Kind;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterFunction, AlterFunctionAction, CreateFunction, DropFunction, ExprNode, FunctionBody, RoutineKind, Set, Step,
};
use crate::sql::catalog::{Catalog as _, SqlFunction};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Analyzer, RangeTable, Typed, type_name};
use crate::sql::guc::function;
use crate::sql::plan::{Given, plan, plan_body};
use crate::sql::plpgsql::{columns_of, row_type_of, types_of};
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value, is_row};
use ffviz_format::page::Oid;

/// `CreateFunction`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateFunction) -> Result<(), StatementError> {
    let (schema, _) = db.creation(&create.name)?;
    let mut create = create.clone();
    create.source.schema = schema;
    let row_type = resolve_row_type(db, &mut create)?;
    let config = function::config(db, Vec::new(), &create.settings)?;
    if (!config.is_empty() || create.is_definer)
        && let FunctionBody::Query(_, routine) = &create.body
    {
        // it is called, and its query stands nowhere else (`inline_function`)
        create.body = FunctionBody::Sql(routine.clone());
    }
    check_names(db, &create)?;
    let known = db.cluster.catalog.function(&create.name.name);
    if let Some(known) = known.and_then(|number| db.functions.get(number as usize)) {
        check_replaced(known, &create)?;
    }
    if let Some(wrong) = create.wrong {
        db.cluster.pg.current_xid();
        return Err(wrong);
    }
    if create.body.is_block() {
        types_of(db, create.body.routine())?;
    } else {
        // what is wrong is found when the function is in the catalog already
        let kept = function::enter(db, &config, None)?;
        let validated = validate(db, &mut create).inspect_err(|_| {
            db.cluster.pg.current_xid();
        });
        kept.into_iter().for_each(|kept| function::leave(db, kept));
        validated?;
    }
    db.cluster.take_snapshot();
    let reads = function_body::reads(db, &create);
    keep(db, &create, reads, (row_type, config));
    Ok(())
}

/// The columns of a function that gives rows of a table.
fn resolve_row_type(db: &Database, create: &mut CreateFunction) -> Result<Option<Oid>, StatementError> {
    let Some(name) = &create.row_type else { return Ok(None) };
    let missing = || StatementError::server("42704", format!("type \"{name}\" does not exist"));
    if let Some(ty) = db.cluster.find_composite(name.schema.as_deref(), &name.name) {
        let relation = ty.relation;
        create.columns.clone_from(&columns_of(db, name)?);
        return Ok(Some(relation));
    }
    let Some(oid) = db.find(name) else {
        if db.view(name).is_some() {
            let message = "a function that gives rows of a view is not supported";
            return Err(StatementError::unsupported(message, None));
        }
        return Err(missing());
    };
    let columns = columns_of(db, name)?;
    create.columns.clone_from(&columns);
    Ok(Some(oid))
}

/// A query that stands for calls of it knows no function of the script's that changes.
fn check_names(db: &Database, create: &CreateFunction) -> Result<(), StatementError> {
    let FunctionBody::Query(body, _) = &create.body else { return Ok(()) };
    let name = &create.name.name;
    let known = db.cluster.catalog.function(name).is_some();
    let (mut calls_others, mut calls_itself) = (false, false);
    body.clone().visit_mut(&mut |expr| {
        if let ExprNode::Function { name: called, .. } = &expr.node {
            calls_itself |= called == name;
            calls_others |= db.cluster.catalog.function(called).is_some();
        }
        calls_itself |= matches!(&expr.node, ExprNode::Column { table: Some(table), .. } if table == name);
    });
    if calls_itself || known && calls_others {
        let message =
            "a function that names itself, or, where it replaces one, another of the script's is not supported";
        return Err(StatementError::unsupported(message, None));
    }
    Ok(())
}

/// `fmgr_sql_validator`, `check_sql_fn_retval`
fn validate(db: &mut Database, create: &mut CreateFunction) -> Result<(), StatementError> {
    let routine = create.body.routine().clone();
    let gives = !create.columns.is_empty();
    let mut last = None;
    for sql in routine.steps.iter().flat_map(Step::embedded) {
        let types: Vec<Oid> = types_of(db, &routine)?.iter().map(|ty| ty.oid).collect();
        let mut given = Given {
            params: sql.params.iter().map(|(_, datum)| types[*datum]).collect(),
            variables: sql.params.iter().map(|(name, _)| name.clone()).collect(),
            columns_first: true,
            ..Given::default()
        };
        // places in it are not those of the statement
        let planned = plan(&sql.statement, db, &mut given).map_err(StatementError::nowhere)?;
        last = planned.map(|plan| plan.columns());
    }
    let mismatch = |detail: String| {
        let message = format!("return type mismatch in function declared to return {}", declared(create));
        StatementError::from(SqlError::new("42P13", message).with_detail(detail))
    };
    if !gives {
        return Ok(());
    }
    let last = last.unwrap_or_default();
    if last.is_empty() {
        let merge = if db.cluster.version().returns_from_merge() { "/MERGE" } else { "" };
        let detail = format!("Function's final statement must be SELECT or INSERT/UPDATE/DELETE{merge} RETURNING.");
        return Err(mismatch(detail));
    }
    // a row as one value
    if let ([(_, ty)], Some(_)) = (&last[..], &create.row_type)
        && is_row(ty.oid)
    {
        create.body = FunctionBody::Sql(routine);
        return Ok(());
    }
    if last.len() != create.columns.len() {
        let detail = match (create.columns.len(), create.has_outs || create.row_type.is_some()) {
            (1, false) => "Final statement must return exactly one column.",
            (count, _) if last.len() < count => "Final statement returns too few columns.",
            _ => "Final statement returns too many columns.",
        };
        return Err(mismatch(detail.to_string()));
    }
    let input = db.input();
    for (n, ((_, from), (_, to))) in (1..).zip(last.iter().zip(&create.columns)) {
        let range = RangeTable::default();
        let mut analyzer = Analyzer::new(&range, input, "RETURN");
        let value = Typed::constant(Value::Null, SqlType::plain(from.oid));
        if analyzer.assign(value, "", *to).is_err() {
            let (given, wanted) = (type_name(from.oid), type_name(to.oid));
            return Err(mismatch(match create.columns.len() {
                1 if !create.has_outs && create.row_type.is_none() => format!("Actual return type is {given}."),
                _ => format!("Final statement returns {given} instead of {wanted} at column {n}."),
            }));
        }
    }
    // an argument with the name of a column is that only where no column has it
    if let FunctionBody::Query(query, routine) = &create.body {
        let mut given = Given {
            params: create.arguments.iter().map(|(_, ty)| ty.oid).collect(),
            variables: create.arguments.iter().map(|(name, _)| name.clone().unwrap_or_default()).collect(),
            ..Given::default()
        };
        if plan_body(query, db, &mut given).is_err() {
            create.body = FunctionBody::Sql(routine.clone());
        }
    }
    Ok(())
}

/// `ProcedureCreate`
fn keep(
    db: &mut Database,
    create: &CreateFunction,
    reads: Option<Vec<Oid>>,
    (row_type, settings): (Option<Oid>, Vec<Set>),
) {
    const ROWS: f64 = 1000.0;
    let number = db.functions.len() as u32;
    let function = Arc::new(SqlFunction {
        number,
        name: create.name.name.clone(),
        arguments: create.arguments.clone(),
        defaults: create.defaults.clone(),
        columns: create.columns.clone(),
        has_outs: create.has_outs,
        inouts: create.inouts.clone(),
        row_type,
        reads,
        row_oid: row_type.and_then(|relation| row_type_of(db, relation)).map(|ty| ty.oid),
        is_set: create.is_set,
        rows: if create.is_set { create.rows.unwrap_or(ROWS) } else { 1.0 },
        body: create.body.clone(),
        kind: create.kind,
        is_strict: create.is_strict,
        volatility: create.volatility,
        settings,
        is_definer: create.is_definer,
        source: (*create.source).clone(),
    });
    db.functions.push(function);
    db.cluster.define_function(&create.name.name, number);
}

/// `ProcedureCreate`, of a function that there is.
fn check_replaced(known: &SqlFunction, create: &CreateFunction) -> Result<(), StatementError> {
    let types = |arguments: &[(Option<String>, SqlType)]| arguments.iter().map(|(_, ty)| ty.oid).collect::<Vec<_>>();
    if types(&known.arguments) != types(&create.arguments) {
        return Err(StatementError::unsupported("a second function of one name is not supported", None));
    }
    let wrong = |message: String| Err(StatementError::server("42P13", message));
    if !create.replace {
        let message = format!("function \"{}\" already exists with same argument types", known.name);
        return Err(StatementError::server("42723", message));
    }
    if known.kind != create.kind {
        return Err(StatementError::unsupported("a routine in place of one of another kind is not supported", None));
    }
    let results = |columns: &[(String, SqlType)]| columns.iter().map(|(_, ty)| ty.oid).collect::<Vec<_>>();
    if known.is_set != create.is_set || results(&known.columns) != results(&create.columns) {
        return wrong("cannot change return type of existing function".to_string());
    }
    for ((before, _), (after, _)) in known.arguments.iter().zip(&create.arguments) {
        if let Some(name) = before.as_ref().filter(|_| before != after) {
            return wrong(format!("cannot change name of input parameter \"{name}\""));
        }
    }
    Ok(())
}

fn declared(create: &CreateFunction) -> String {
    match &create.columns[..] {
        _ if let Some(name) = &create.row_type => name.name.clone(),
        [(_, ty)] => ty.name(),
        _ => "record".to_string(),
    }
}

/// Does a view, or a materialized one, name a function so?
fn is_in_view(db: &Database, name: &str) -> bool {
    let queries = db.cluster.catalog.views().map(|(_, view)| view.query);
    let matviews = db.cluster.catalog.classes().filter_map(|class| Some(class.matview.as_ref()?.query));
    let written = format!("name: {name:?}");
    let mut views = queries.chain(matviews).filter_map(|query| db.views.get(query as usize));
    views.any(|view| format!("{:?}", view.query).contains(&written))
}

/// `AlterFunction`, `RenameObject`, `AlterObjectOwner_internal`
pub(in crate::sql) fn alter(db: &mut Database, alter: &AlterFunction) -> Result<String, SqlError> {
    let word = if alter.is_procedure { "procedure" } else { "function" };
    let tag = format!("ALTER {}", word.to_uppercase());
    let name = &alter.name.name;
    let known = db.cluster.catalog.function(name).and_then(|number| db.functions.get(number as usize)).cloned();
    let is_meant = |known: &SqlFunction| {
        let types = known.arguments.iter().map(|(_, ty)| ty.oid);
        alter.arguments.as_ref().is_none_or(|given| types.eq(given.iter().copied()))
    };
    let Some(known) = known.filter(|known| is_meant(known)) else {
        let types: Option<Vec<String>> =
            alter.arguments.as_ref().map(|types| types.iter().map(|oid| type_name(*oid)).collect());
        let message = match types {
            Some(types) => format!("{word} {}({}) does not exist", alter.name, types.join(", ")),
            None => format!("could not find a {word} named \"{}\"", alter.name),
        };
        return Err(SqlError::new("42883", message));
    };
    if (known.kind == RoutineKind::Procedure) != alter.is_procedure {
        return Err(SqlError::new("42809", format!("{} is not a {word}", known.signature())));
    }
    let mut function = SqlFunction::clone(&known);
    function.number = db.functions.len() as u32;
    match &alter.action {
        AlterFunctionAction::Owner(role) => {
            let oid = db.cluster.catalog.function_oid(name).unwrap_or_default();
            user::alter_owner(db, (Kind::Function, oid), role)?;
        }
        AlterFunctionAction::Rename(to) => {
            let is_called = !db.cluster.triggers_that_call(name).is_empty();
            if is_called || is_in_view(db, name) || db.expressions.call(name) {
                let message = "another name of a function that a trigger, a view or a table calls is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
            if let Some(taken) = db.cluster.catalog.function(to).and_then(|number| db.functions.get(number as usize)) {
                let types = |it: &SqlFunction| it.arguments.iter().map(|(_, ty)| ty.oid).collect::<Vec<_>>();
                if types(taken) != types(&known) {
                    let message = "a second function of one name is not supported";
                    return Err(SqlError::new(NOT_SIMULATED, message));
                }
                let message = format!("{word} {} already exists in schema \"public\"", taken.signature());
                return Err(SqlError::new("42723", message));
            }
            function.name.clone_from(to);
            db.functions.push(Arc::new(function));
            db.cluster.rename_function(name, to, db.functions.len() as u32 - 1);
        }
        AlterFunctionAction::Options { settings, volatility, is_strict, is_definer } => {
            function.settings = function::config(db, function.settings, settings)?;
            function.volatility = volatility.unwrap_or(function.volatility);
            function.is_strict = is_strict.unwrap_or(function.is_strict);
            function.is_definer = is_definer.unwrap_or(function.is_definer);
            // COST and its like may be others now
            function.source.has_other_types = true;
            if let FunctionBody::Query(_, routine) = &function.body
                && (!function.settings.is_empty() || function.is_definer || function.is_strict)
            {
                function.body = FunctionBody::Sql(routine.clone());
            }
            db.functions.push(Arc::new(function));
            db.cluster.define_function(name, db.functions.len() as u32 - 1);
        }
    }
    Ok(tag)
}

/// Does a view, a default, a check, an index or a trigger call it?
pub(super) fn is_called(db: &Database, name: &str) -> bool {
    is_in_view(db, name) || db.expressions.call(name) || !db.cluster.triggers_that_call(name).is_empty()
}

/// `RemoveObjects`, of functions.
pub(in crate::sql) fn drop(db: &mut Database, drop: &DropFunction) -> Result<String, SqlError> {
    let mut found: Vec<&str> = Vec::new();
    for (name, arguments) in drop.names.iter().zip(&drop.arguments) {
        let known = db.cluster.catalog.function(&name.name);
        let known = known.and_then(|number| db.functions.get(number as usize));
        let is_other = |known: &SqlFunction| {
            let types = known.arguments.iter().map(|(_, ty)| ty.oid);
            arguments.as_ref().is_some_and(|given| !types.eq(given.iter().copied()))
        };
        match known {
            _ if arguments.is_some() && known.is_none_or(|known| is_other(known)) => {
                if !drop.if_exists {
                    let types: Vec<String> = arguments.iter().flatten().map(|oid| type_name(*oid)).collect();
                    let what = if drop.is_procedure { "procedure" } else { "function" };
                    let message = format!("{what} {name}({}) does not exist", types.join(", "));
                    return Err(SqlError::new("42883", message));
                }
            }
            Some(known) if (known.kind == RoutineKind::Procedure) != drop.is_procedure => {
                let what = if drop.is_procedure { "procedure" } else { "function" };
                return Err(SqlError::new("42809", format!("{} is not a {what}", known.signature())));
            }
            Some(_) => found.push(&name.name),
            None if drop.if_exists => {}
            None if drop.is_procedure => {
                return Err(SqlError::new("42883", format!("could not find a procedure named \"{name}\"")));
            }
            None => return Err(SqlError::new("42883", format!("could not find a function named \"{name}\""))),
        }
    }
    for name in &found {
        if !drop.cascade {
            trigger::check_function(db, name)?;
        }
        if is_in_view(db, name) {
            let message = "dropping a function that a view calls is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        if db.expressions.call(name) {
            let message = "dropping a function that a default, a check or an index calls is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
    }
    function_body::check_uncalled(db, &found, drop.cascade)?;
    function_body::callers_first(db, &mut found);
    for name in found {
        for (table, trigger) in db.cluster.triggers_that_call(name) {
            db.cluster.drop_trigger(table, &trigger);
        }
        db.cluster.drop_function(name);
    }
    Ok(if drop.is_procedure { "DROP PROCEDURE" } else { "DROP FUNCTION" }.to_string())
}
