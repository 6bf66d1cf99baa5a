//! `pg_trigger` (src/include/catalog/pg_trigger.h): triggers of the script's own. Those that foreign keys and
//! deferrable keys have are not kept one by one, so where there are some it is not told.

use super::Rows;
use super::catalogs::{BOOL, CHAR, INT2, OID, TEXT};
use crate::cluster::Class;
use crate::cluster::pg_class::{Constraint, Trigger};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Deferrable;
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

/// In the order in which they were made.
pub(super) fn rows(db: &Database) -> Result<Rows, SqlError> {
    if db.cluster.catalog.classes().any(|class| has_internal(db, class)) {
        let message = "pg_trigger beside foreign keys and deferrable keys, which have triggers too, is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let classes = db.cluster.catalog.classes();
    let mut all: Vec<(Oid, Trigger)> =
        classes.flat_map(|class| class.triggers.iter().map(|trigger| (class.oid, trigger.clone()))).collect();
    all.sort_by_key(|(_, trigger)| trigger.oid);
    Ok(all.iter().map(|(table, trigger)| row(*table, trigger)).collect())
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
    let enabled = if trigger.enabled { b'O' } else { b'D' };
    let mut row = Vec::from([Value::Oid(trigger.oid), Value::Oid(table), Value::Oid(0), Value::text(&trigger.name)]);
    row.extend([Value::Int2(tgtype(trigger)), Value::Char(enabled), Value::Bool(false)]);
    row.extend([0; 3].map(Value::Oid));
    row.extend([false; 2].map(Value::Bool));
    row.push(number(trigger.arguments.len()));
    row
}

/// `TRIGGER_TYPE_…`
fn tgtype(trigger: &Trigger) -> i16 {
    let of = [trigger.insert, trigger.delete, trigger.update, trigger.truncate];
    let bits = [trigger.row, trigger.before].into_iter().chain(of);
    (0..).zip(bits).filter(|(_, is_set)| *is_set).map(|(bit, _)| 1 << bit).sum()
}
