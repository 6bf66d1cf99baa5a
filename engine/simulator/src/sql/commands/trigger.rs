//! CREATE TRIGGER, DROP TRIGGER, ALTER TABLE … ENABLE and DISABLE TRIGGER (`CreateTriggerFiringOn`,
//! `EnableDisableTrigger`, src/backend/commands/trigger.c).

use crate::cluster::pg_class::{Firing, Trigger};
use crate::sql::StatementError;
use crate::sql::ast::{CreateTrigger, DropTrigger, Expr, ExprNode, RenameTrigger, RoutineKind};
use crate::sql::catalog::Catalog as _;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::modify::has_triggers;
use crate::sql::tcop::Database;
use crate::storage::{RelationData, TableAm};
use crate::version::SqlBehaviour as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// The function in C that leaves out what changes nothing.
pub(in crate::sql) const SUPPRESSES: &str = "suppress_redundant_updates_trigger";

/// `CreateTrigger`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateTrigger) -> Result<(), StatementError> {
    db.cluster.take_snapshot();
    db.cluster.pg.read_catalog();
    let unsupported = |what: &str| Err(StatementError::unsupported(format!("{what} is not supported"), None));
    let missing = || StatementError::server("42P01", format!("relation \"{}\" does not exist", create.table));
    if db.view(&create.table).is_some() {
        return unsupported("a trigger of a view");
    }
    let table = db.find(&create.table).ok_or_else(missing)?;
    let relation = db.cluster.pg.relation(table)?;
    if relation.kind == RelKind::Table && create.instead {
        let error = SqlError::new("42809", format!("\"{}\" is a table", relation.name));
        return Err(error.with_detail("Tables cannot have INSTEAD OF triggers.").into());
    }
    if db.cluster.catalog.class(table).is_some_and(|class| class.matview.is_some()) {
        if !db.cluster.version().tells_kind_of_relation() {
            let message = format!("\"{}\" is not a table or view", relation.name);
            return Err(StatementError::server("42809", message));
        }
        let error = SqlError::new("42809", format!("relation \"{}\" cannot have triggers", relation.name));
        return Err(error.with_detail("This operation is not supported for materialized views.").into());
    }
    let is_part = db.cluster.catalog.class(table).is_some_and(|class| class.partitioning.parent.is_some());
    if relation.kind != RelKind::Table || is_part || relation.am == TableAm::Undo {
        return unsupported("a trigger of anything but a plain table");
    }
    check_kind(create)?;
    let name = &create.function;
    if name != SUPPRESSES {
        let function = db.cluster.catalog.function(name).and_then(|number| db.functions.get(number as usize));
        match function.map(|function| function.kind) {
            Some(RoutineKind::Trigger) => {}
            Some(_) => {
                let message = format!("function {name} must return type trigger");
                return Err(StatementError::server("42P17", message));
            }
            None => return Err(StatementError::server("42883", format!("function {name}() does not exist"))),
        }
    }
    let replaces = check_replaced(db, (table, &relation.name), create)?;
    let mut update_of = Vec::new();
    for column in &create.update_of {
        let found = super::alter::find_column(db, table, column)?;
        update_of.push(found as u16 + 1);
    }
    let when = create.when.as_ref().map(|when| db.expressions.keep_over(&whole_rows(&relation, when), Vec::new()));
    let trigger = Trigger {
        oid: 0,
        name: create.name.clone(),
        before: create.before,
        row: create.row,
        insert: create.events.insert,
        update: create.events.update,
        delete: create.events.delete,
        truncate: create.events.truncate,
        update_of,
        when,
        function: create.function.clone(),
        arguments: create.arguments.clone(),
        old_table: create.old_table.clone(),
        new_table: create.new_table.clone(),
        constraint: create.constraint,
        enabled: Firing::Origin,
        place: 0,
    };
    if replaces {
        db.cluster.replace_trigger(table, trigger);
    } else {
        db.cluster.create_trigger(table, trigger);
    }
    Ok(())
}

/// Is there one of that name, in whose place this one is?
fn check_replaced(db: &Database, (table, name): (Oid, &str), create: &CreateTrigger) -> Result<bool, StatementError> {
    let class = db.cluster.catalog.class(table);
    let known = class.and_then(|class| class.triggers.iter().find(|known| known.name == create.name));
    let Some(known) = known else { return Ok(false) };
    let what = if !create.replace {
        "already exists"
    } else if known.constraint.is_some() {
        "is a constraint trigger"
    } else {
        return Ok(true);
    };
    let message = format!("trigger \"{}\" for relation \"{name}\" {what}", create.name);
    Err(StatementError::server("42710", message))
}

/// What TRUNCATE and transition tables ask for.
fn check_kind(create: &CreateTrigger) -> Result<(), StatementError> {
    let events = create.events;
    let wrong = |sqlstate, message: &str| Err(StatementError::server(sqlstate, message.to_string()));
    if events.truncate && create.row {
        return wrong("0A000", "TRUNCATE FOR EACH ROW triggers are not supported");
    }
    let reads = |row: &str| create.when.as_ref().is_some_and(|when| reads_row(when, row));
    if !create.row && (reads("old") || reads("new")) {
        return wrong("42P17", "statement trigger's WHEN condition cannot reference column values");
    }
    if events.insert && reads("old") {
        return wrong("42P17", "INSERT trigger's WHEN condition cannot reference OLD values");
    }
    if events.delete && reads("new") {
        return wrong("42P17", "DELETE trigger's WHEN condition cannot reference NEW values");
    }
    if create.old_table.is_none() && create.new_table.is_none() {
        return Ok(());
    }
    if create.before {
        return wrong("42P17", "transition table name can only be specified for an AFTER trigger");
    }
    if events.truncate {
        return wrong("42P17", "TRUNCATE triggers with transition tables are not supported");
    }
    if [events.insert, events.update, events.delete].into_iter().filter(|is_there| *is_there).count() != 1 {
        return wrong("0A000", "transition tables cannot be specified for triggers with more than one event");
    }
    if !create.update_of.is_empty() {
        return wrong("0A000", "transition tables cannot be specified for triggers with column lists");
    }
    if create.new_table.is_some() && events.delete {
        return wrong("42P17", "NEW TABLE can only be specified for an INSERT or UPDATE trigger");
    }
    if create.old_table.is_some() && events.insert {
        return wrong("42P17", "OLD TABLE can only be specified for a DELETE or UPDATE trigger");
    }
    if create.old_table == create.new_table {
        return wrong("42P17", "OLD TABLE name and NEW TABLE name cannot be the same");
    }
    Ok(())
}

/// Does a condition name that row, or a column of it?
fn reads_row(when: &Expr, row: &str) -> bool {
    let is_it = match &when.node {
        ExprNode::Column { table: Some(table), .. } => table == row,
        ExprNode::Column { table: None, name } => name == row,
        _ => false,
    };
    is_it || when.children().into_iter().any(|part| reads_row(part, row))
}

/// Whole rows that are compared are so column by column.
fn whole_rows(relation: &RelationData, when: &Expr) -> Expr {
    let mut when = when.clone();
    let columns: Vec<String> =
        relation.desc.attributes().iter().filter(|it| !it.dropped).map(|it| it.name.clone()).collect();
    let row = |expr: &Expr| match &expr.node {
        ExprNode::Column { table: Some(table), name } if name == "*" => Some(table.clone()),
        ExprNode::Column { table: None, name } if name == "old" || name == "new" => Some(name.clone()),
        _ => None,
    };
    if let ExprNode::IsDistinct { operands, negated } = &when.node
        && let (Some(left), Some(right)) = (row(&operands.0), row(&operands.1))
    {
        let position = when.position;
        let column = |table: &String, name: &String| Expr {
            node: ExprNode::Column { table: Some(table.clone()), name: name.clone() },
            position,
        };
        let test = |name: &String| Expr {
            node: ExprNode::IsDistinct {
                operands: Box::new((column(&left, name), column(&right, name))),
                negated: *negated,
            },
            position,
        };
        let tests: Vec<Expr> = columns.iter().map(test).collect();
        when.node = match (tests.len(), negated) {
            (1, _) => return tests.into_iter().next().unwrap_or(when),
            (_, true) => ExprNode::And(tests),
            (_, false) => ExprNode::Or(tests),
        };
    }
    when
}

/// `RemoveTriggerById`
pub(in crate::sql) fn drop(db: &mut Database, drop: &DropTrigger) -> Result<String, SqlError> {
    let tag = "DROP TRIGGER".to_string();
    if db.view(&drop.table).is_some() {
        return Err(SqlError::new(NOT_SIMULATED, "a trigger of a view is not supported"));
    }
    let Some(table) = db.find(&drop.table) else {
        if drop.if_exists {
            return Ok(tag);
        }
        return Err(SqlError::new("42P01", format!("relation \"{}\" does not exist", drop.table)));
    };
    let class = db.cluster.catalog.class(table);
    if !class.is_some_and(|class| class.triggers.iter().any(|known| known.name == drop.name)) {
        if drop.if_exists {
            return Ok(tag);
        }
        let message = format!("trigger \"{}\" for table \"{}\" does not exist", drop.name, drop.table.name);
        return Err(SqlError::new("42704", message));
    }
    db.cluster.drop_trigger(table, &drop.name);
    Ok(tag)
}

/// `renametrig`
pub(in crate::sql) fn rename(db: &mut Database, rename: &RenameTrigger) -> Result<String, SqlError> {
    let table = db.find(&rename.table).ok_or_else(|| db.missing(&rename.table, "relation"))?;
    let class = db.cluster.catalog.class(table);
    let has = |name: &String| class.is_some_and(|class| class.triggers.iter().any(|known| known.name == *name));
    let name_of_table = class.map_or("", |class| class.name.as_str());
    if class.is_some_and(|class| class.partitioning.parent.is_some() || class.partitioning.key.is_some()) {
        return Err(SqlError::new(NOT_SIMULATED, "ALTER TRIGGER of a partition is not supported"));
    }
    let is_other = !db.cluster.version().finds_trigger_first();
    let taken = || {
        let message = format!("trigger \"{}\" for relation \"{name_of_table}\" already exists", rename.to);
        SqlError::new("42710", message)
    };
    if is_other && has(&rename.to) {
        return Err(taken());
    }
    if !has(&rename.name) {
        let message = format!("trigger \"{}\" for table \"{name_of_table}\" does not exist", rename.name);
        return Err(SqlError::new("42704", message));
    }
    if has(&rename.to) {
        return Err(taken());
    }
    db.cluster.rename_trigger(table, &rename.name, &rename.to);
    Ok("ALTER TRIGGER".to_string())
}

/// `EnableDisableTrigger`: one, or all; `user`: without those of keys.
pub(in crate::sql) fn set_enabled(
    db: &mut Database,
    table: Oid,
    (name, user): (Option<&String>, bool),
    firing: Firing,
) -> Result<(), SqlError> {
    let class = db.cluster.catalog.class(table);
    let is_known = |name: &String| class.is_some_and(|class| class.triggers.iter().any(|known| known.name == *name));
    if let Some(name) = name.filter(|name| !is_known(name)) {
        let relation = db.cluster.pg.relation(table)?;
        let message = format!("trigger \"{name}\" for table \"{}\" does not exist", relation.name);
        return Err(SqlError::new("42704", message));
    }
    let internal = name.is_none() && !user && {
        let relation = db.cluster.pg.relation(table)?;
        has_triggers(db, &relation)
    };
    db.cluster.enable_triggers(table, (name.map(String::as_str), internal), firing);
    Ok(())
}

/// A column goes, or is called otherwise: what triggers say of columns would have to follow.
pub(in crate::sql) fn check_column(db: &Database, table: Oid) -> Result<(), SqlError> {
    let names = |trigger: &Trigger| trigger.when.is_some() || !trigger.update_of.is_empty();
    if db.cluster.catalog.class(table).is_some_and(|class| class.triggers.iter().any(names)) {
        return Err(SqlError::new(NOT_SIMULATED, "a change of columns that a trigger names is not supported"));
    }
    Ok(())
}

/// `DROP_RESTRICT`: a function that a trigger calls stays.
pub(in crate::sql) fn check_function(db: &Database, function: &str) -> Result<(), SqlError> {
    let name_of = |table| db.cluster.catalog.class(table).map_or("", |class| class.name.as_str());
    let mut found = db.cluster.triggers_that_call(function);
    // the oldest first
    found.sort_by_key(|(table, name)| {
        let class = db.cluster.catalog.class(*table);
        class.and_then(|class| class.triggers.iter().find(|it| it.name == *name)).map(|trigger| trigger.oid)
    });
    if found.is_empty() {
        return Ok(());
    }
    let told = found.into_iter().map(|(table, trigger)| {
        format!("trigger {trigger} on table {} depends on function {function}()", name_of(table))
    });
    let message = format!("cannot drop function {function}() because other objects depend on it");
    Err(SqlError::new("2BP01", message).with_detail(told.collect::<Vec<_>>().join("\n")))
}
