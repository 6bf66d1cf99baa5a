//! `pg_trigger` (src/include/catalog/pg_trigger.h): triggers of the script's own. Those that foreign keys and
//! deferrable keys have are not kept one by one, so where there are some it is not told.

use super::Rows;
use super::catalogs::{BOOL, CHAR, INT2, INT4, OID, TEXT};
use crate::cluster::Class;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::pg_class::ExprId;
use crate::cluster::pg_class::{Constraint, Firing, Trigger};
use crate::sql::ast::{Expr, ExprNode};
use crate::sql::catalog::Catalog;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::DATABASE;
use crate::sql::ruleutils::{Deparser, Scope, Style};
use crate::sql::tcop::Database;
use crate::storage::Deferrable;
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

pub(super) fn pg_trigger(_: u32) -> Vec<(&'static str, Oid)> {
    let of_table = [("oid", OID), ("tgrelid", OID), ("tgparentid", OID), ("tgname", TEXT), ("tgtype", INT2)];
    let of_constraint = ["tgconstrrelid", "tgconstrindid", "tgconstraint"].map(|name| (name, OID));
    let flags = ["tgdeferrable", "tginitdeferred"].map(|name| (name, BOOL));
    let enabled = [("tgenabled", CHAR), ("tgisinternal", BOOL)];
    of_table.into_iter().chain(enabled).chain(of_constraint).chain(flags).chain([("tgnargs", INT2)]).collect()
}

/// `pg_trigger` without those that foreign keys and deferrable keys have.
pub(in crate::sql) const OWN_TRIGGERS: &str = "pg_trigger without internal ones";

/// All of them.
pub(super) fn rows(db: &Database) -> Result<Rows, SqlError> {
    if db.cluster.catalog.classes().any(|class| has_internal(db, class)) {
        let message = "pg_trigger without NOT tgisinternal is not supported beside foreign keys and deferrable keys, which have triggers too";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Ok(own(db))
}

/// Those of the script's own, in the order in which their rows were written.
pub(super) fn own(db: &Database) -> Rows {
    let classes = db.cluster.catalog.classes();
    let mut all: Vec<(Oid, Trigger)> =
        classes.flat_map(|class| class.triggers.iter().map(|trigger| (class.oid, trigger.clone()))).collect();
    // before 14 the catalog counts as ten pages as long as it is not vacuumed, so that its index is read
    match db.cluster.version().counts_from_unknown() {
        true => all.sort_by_key(|(_, trigger)| trigger.place),
        false => all.sort_by(|(one, a), (other, b)| (one, &a.name).cmp(&(other, &b.name))),
    }
    all.iter().map(|(table, trigger)| row(*table, trigger)).collect()
}

/// Has the table a foreign key, or the index a key that is looked at again?
fn has_internal(db: &Database, class: &Class) -> bool {
    let is_late = || {
        let relation = db.cluster.pg.relation(class.oid).ok();
        let form = relation.as_ref().and_then(|relation| relation.index.as_ref());
        form.is_some_and(|form| form.deferrable != Deferrable::No)
    };
    class.constraints.iter().any(|constraint| matches!(constraint, Constraint::Foreign { enforced: true, .. }))
        || class.kind == RelKind::Index && is_late()
}

fn row(table: Oid, trigger: &Trigger) -> Vec<Value> {
    let number = |number: usize| Value::Int2(i16::try_from(number).unwrap_or(i16::MAX));
    let enabled = match trigger.enabled {
        Firing::Origin => b'O',
        Firing::Disabled => b'D',
        Firing::Replica => b'R',
        Firing::Always => b'A',
    };
    let mut row = Vec::from([Value::Oid(trigger.oid), Value::Oid(table), Value::Oid(0), Value::text(&trigger.name)]);
    row.extend([Value::Int2(tgtype(trigger)), Value::Char(enabled), Value::Bool(false)]);
    // the OID behind it is that of its constraint
    let constraint = if trigger.constraint.is_some() { trigger.oid + 1 } else { 0 };
    row.extend([0, 0, constraint].map(Value::Oid));
    let deferrable = trigger.constraint.unwrap_or(Deferrable::No);
    row.extend([deferrable != Deferrable::No, deferrable == Deferrable::Deferred].map(Value::Bool));
    row.push(number(trigger.arguments.len()));
    row
}

pub(super) fn information_columns(_: u32) -> Vec<(&'static str, Oid)> {
    let of_trigger = ["trigger_catalog", "trigger_schema", "trigger_name", "event_manipulation"];
    let of_table = ["event_object_catalog", "event_object_schema", "event_object_table"];
    let mut columns: Vec<(&'static str, Oid)> =
        of_trigger.into_iter().chain(of_table).map(|name| (name, TEXT)).collect();
    columns.push(("action_order", INT4));
    columns.extend(["action_statement", "action_orientation", "action_timing"].map(|name| (name, TEXT)));
    columns
}

/// `information_schema.triggers`: a row for each event but TRUNCATE.
pub(super) fn information(db: &mut Database) -> Result<Rows, SqlError> {
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes() {
        for trigger in &class.triggers {
            let events = [("INSERT", trigger.insert), ("DELETE", trigger.delete), ("UPDATE", trigger.update)];
            for (event, _) in events.iter().filter(|(_, fires)| *fires) {
                let its = [DATABASE, &class.schema, &trigger.name, event, DATABASE, &class.schema, &class.name];
                let mut row: Vec<Value> = its.into_iter().map(Value::text).collect();
                row.push(Value::Int4(action_order(class, trigger, event)));
                let call = format!("EXECUTE FUNCTION {}", call(trigger));
                let orientation = if trigger.row { "ROW" } else { "STATEMENT" };
                row.extend([&call, orientation, time(trigger)].map(Value::text));
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// The place of a trigger among those that fire at the same moment, by their names.
fn action_order(class: &Class, trigger: &Trigger, event: &str) -> i32 {
    let fires = |other: &&Trigger| match event {
        "INSERT" => other.insert,
        "DELETE" => other.delete,
        _ => other.update,
    };
    let is_first =
        |other: &&Trigger| (other.row, other.before) == (trigger.row, trigger.before) && other.name < trigger.name;
    class.triggers.iter().filter(fires).filter(is_first).count() as i32 + 1
}

impl Database {
    /// `pg_get_triggerdef` (src/backend/utils/adt/ruleutils.c); pretty: tables that are found need no schema.
    pub(in crate::sql) fn pg_get_triggerdef(&self, args: &[Value]) -> Result<Value, SqlError> {
        let [Value::Oid(oid), rest @ ..] = args else { return Ok(Value::Null) };
        let of = |class: &Class| class.triggers.iter().find(|trigger| trigger.oid == *oid).cloned();
        let Some((class, trigger)) = self.cluster.catalog.classes().find_map(|class| Some((class, of(class)?))) else {
            return Ok(Value::Null);
        };
        let style = Style { pretty: matches!(rest, [Value::Bool(true)]) };
        let when = match trigger.when {
            None => String::new(),
            Some(id) => match told_when(self, class.oid, id, style) {
                Some(told) => format!("WHEN ({told}) "),
                None => {
                    let message = "pg_get_triggerdef of a trigger with such a WHEN is not supported";
                    return Err(SqlError::new(NOT_SIMULATED, message));
                }
            },
        };
        let is_found = self.cluster.find(None, &class.name) == Some(class.oid);
        let table = match rest {
            [Value::Bool(true)] if is_found => quote_identifier(&class.name),
            _ => format!("{}.{}", quote_identifier(&class.schema), quote_identifier(&class.name)),
        };
        Ok(Value::text(&definition(self, class, &trigger, (&table, &when))))
    }
}

/// WHEN, over OLD and NEW.
fn told_when(db: &Database, table: Oid, id: ExprId, style: Style) -> Option<String> {
    let (info, stored) = (db.table_of(table)?, db.expressions.get(id)?);
    if let Some(told) = whole_rows(&stored.expr) {
        return Some(if style.pretty { told } else { format!("({told})") });
    }
    Deparser::new(db, style, Scope::of_trigger(&info)).condition(&stored.expr)
}

/// `OLD.* IS DISTINCT FROM NEW.*`, which is kept as a test of each column, all at one place.
fn whole_rows(when: &Expr) -> Option<String> {
    let ExprNode::Or(tests) = &when.node else { return None };
    let row = |expr: &Expr| match &expr.node {
        ExprNode::Column { table, .. } => table.clone(),
        _ => None,
    };
    let (first, second) = match &tests.first()?.node {
        ExprNode::IsDistinct { operands, .. } => (row(&operands.0)?, row(&operands.1)?),
        _ => return None,
    };
    let is_at_once = tests.iter().all(|test| test.position == when.position);
    is_at_once.then(|| format!("{first}.* IS DISTINCT FROM {second}.*"))
}

fn definition(db: &Database, class: &Class, trigger: &Trigger, (table, condition): (&str, &str)) -> String {
    let mut events = Vec::new();
    events.extend(trigger.insert.then(|| "INSERT".to_string()));
    events.extend(trigger.delete.then(|| "DELETE".to_string()));
    if trigger.update {
        let relation = db.cluster.pg.relations.get(&class.oid);
        let name = |attnum: &u16| {
            let attribute = relation.and_then(|it| it.desc.attributes().get(usize::from(*attnum) - 1));
            attribute.map_or_else(String::new, |attribute| quote_identifier(&attribute.name))
        };
        let columns: Vec<String> = trigger.update_of.iter().map(name).collect();
        let of = if columns.is_empty() { String::new() } else { format!(" OF {}", columns.join(", ")) };
        events.push(format!("UPDATE{of}"));
    }
    events.extend(trigger.truncate.then(|| "TRUNCATE".to_string()));
    let when = match trigger.constraint {
        None => "",
        Some(Deferrable::No) => "NOT DEFERRABLE INITIALLY IMMEDIATE ",
        Some(Deferrable::Immediate) => "DEFERRABLE INITIALLY IMMEDIATE ",
        Some(Deferrable::Deferred) => "DEFERRABLE INITIALLY DEFERRED ",
    };
    let kind = if trigger.constraint.is_some() { "CONSTRAINT TRIGGER" } else { "TRIGGER" };
    let time = time(trigger);
    let mut tables = String::new();
    let named = [("OLD", &trigger.old_table), ("NEW", &trigger.new_table)];
    for (word, name) in named.iter().filter_map(|(word, name)| Some((word, name.as_ref()?))) {
        tables = format!("{tables}{word} TABLE AS {} ", quote_identifier(name));
    }
    if !tables.is_empty() {
        tables = format!("REFERENCING {tables}");
    }
    let each = if trigger.row { "ROW" } else { "STATEMENT" };
    format!(
        "CREATE {kind} {} {time} {} ON {table} {when}{tables}FOR EACH {each} {condition}EXECUTE FUNCTION {}",
        quote_identifier(&trigger.name),
        events.join(" OR "),
        call(trigger)
    )
}

const fn time(trigger: &Trigger) -> &'static str {
    if trigger.before { "BEFORE" } else { "AFTER" }
}

/// The function with its arguments.
fn call(trigger: &Trigger) -> String {
    let quoted = |text: &String| format!("'{}'", text.replace('\'', "''"));
    let arguments: Vec<String> = trigger.arguments.iter().map(quoted).collect();
    format!("{}({})", quote_identifier(&trigger.function), arguments.join(", "))
}

/// `TRIGGER_TYPE_…`
fn tgtype(trigger: &Trigger) -> i16 {
    let of = [trigger.insert, trigger.delete, trigger.update, trigger.truncate];
    let bits = [trigger.row, trigger.before].into_iter().chain(of);
    (0..).zip(bits).filter(|(_, is_set)| *is_set).map(|(bit, _)| 1 << bit).sum()
}
