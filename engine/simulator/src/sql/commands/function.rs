//! CREATE FUNCTION, DROP FUNCTION, of functions in SQL and PL/pgSQL (`CreateFunction`,
//! src/backend/commands/functioncmds.c; `fmgr_sql_validator`, src/backend/catalog/pg_proc.c).

use super::trigger;
use crate::sql::StatementError;
use crate::sql::ast::{CreateFunction, DropFunction, ExprNode, RoutineKind};
use crate::sql::catalog::SqlFunction;
use crate::sql::plan::{Given, plan_body};
use crate::sql::plpgsql::types_of;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType};

/// `CreateFunction`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateFunction) -> Result<(), StatementError> {
    let name = &create.name.name;
    let unsupported = |what: &str| Err(StatementError::unsupported(format!("{what} is not supported"), None));
    db.creation(&create.name)?;
    let known = db.cluster.catalog.function(name).is_some();
    let (mut calls_others, mut calls_itself) = (false, false);
    create.body.clone().visit_mut(&mut |expr| {
        if let ExprNode::Function { name: called, .. } = &expr.node {
            calls_itself |= called == name;
            calls_others |= db.cluster.catalog.function(called).is_some();
        }
        calls_itself |= matches!(&expr.node, ExprNode::Column { table: Some(table), .. } if table == name);
    });
    if calls_itself || known && calls_others {
        return unsupported("a function that names itself, or, where it replaces one, another of the script's");
    }
    if let Some(known) = db.cluster.catalog.function(name).and_then(|number| db.functions.get(number as usize)) {
        check_replaced(known, create)?;
    }
    if let Some(routine) = &create.routine {
        types_of(db, routine)?;
        db.cluster.take_snapshot();
        keep(db, create);
        return Ok(());
    }
    let mut given = Given {
        params: create.arguments.iter().map(|(_, ty)| ty.oid).collect(),
        variables: create.arguments.iter().map(|(name, _)| name.clone().unwrap_or_default()).collect(),
        ..Given::default()
    };
    let body = match plan_body(&create.body, db, &mut given) {
        Err(error) if error.error.sqlstate == "42702" => {
            return unsupported("an argument with the name of a column");
        }
        planned => planned?,
    };
    db.cluster.take_snapshot();
    if body.targets.len() != create.columns.len() {
        let message = format!("return type mismatch in function declared to return {}", declared(create));
        return Err(StatementError::server("42P13", message));
    }
    keep(db, create);
    Ok(())
}

/// `ProcedureCreate`
fn keep(db: &mut Database, create: &CreateFunction) {
    let number = db.functions.len() as u32;
    db.functions.push(Arc::new(SqlFunction {
        number,
        name: create.name.name.clone(),
        arguments: create.arguments.clone(),
        defaults: create.defaults.clone(),
        columns: create.columns.clone(),
        is_set: create.is_set,
        body: create.body.clone(),
        routine: create.routine.clone(),
        kind: create.kind,
        is_strict: create.is_strict,
    }));
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
        [(_, ty)] => ty.name(),
        _ => "record".to_string(),
    }
}

/// `RemoveObjects`, of functions.
pub(in crate::sql) fn drop(db: &mut Database, drop: &DropFunction) -> Result<String, SqlError> {
    let mut found: Vec<&str> = Vec::new();
    for name in &drop.names {
        let known = db.cluster.catalog.function(&name.name);
        let known = known.and_then(|number| db.functions.get(number as usize));
        match known {
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
        trigger::check_function(db, name)?;
    }
    found.into_iter().for_each(|name| db.cluster.drop_function(name));
    Ok(if drop.is_procedure { "DROP PROCEDURE" } else { "DROP FUNCTION" }.to_string())
}
