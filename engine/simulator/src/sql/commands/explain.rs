//! EXPLAIN (COSTS OFF): the statement is planned and not run (`ExplainOneQuery`, src/backend/commands/explain.c).
//! Planning may read the ends of indexes; what changes rows or locks them uses a command id up, as
//! `standard_ExecutorStart` does.

use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::{FromItem, RangeVar, Statement};
use crate::sql::catalog::Catalog;
use crate::sql::plan::{Explained, Given, InsertPlan, InsertRows, Method, Plan, Scan, plan};
use crate::sql::tcop::Database;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// The lines of the plan.
pub(in crate::sql) fn explain(db: &mut Database, statement: &Statement) -> Result<Vec<String>, StatementError> {
    let refuse = |what: &str| StatementError::unsupported(alloc::format!("EXPLAIN of {what} is not supported"), None);
    let major = db.cluster.version().major();
    let planned = plan(statement, db, &mut Given::default())?;
    let Some(planned) = planned else { return Err(refuse("this statement")) };
    let (name, alias) = named(statement);
    if name.is_some_and(|name| db.view(name).is_some()) {
        return Err(refuse("a query of a view"));
    }
    let table = name.and_then(|name| db.table(name));
    let conflict = match statement {
        Statement::Insert(insert) => {
            insert.on_conflict.as_ref().map(|conflict| !conflict.columns.is_empty() || conflict.constraint.is_some())
        }
        _ => None,
    };
    let explained = Explained { table: table.as_ref(), alias, conflict, major, enabled: db.scans() };
    let lines = explained.lines(&planned).ok_or_else(|| refuse("this plan"))?;
    db.cluster.take_snapshot();
    if let Some(table) = planned.replaces() {
        let relation = db.cluster.pg.relation(table)?;
        db.cluster.check_replica_identity(&relation);
    }
    db.cluster.look_up(planned.indexes().into_iter().map(Lookup::RelationName));
    let writes = !matches!(&planned, Plan::Select(select) if select.locking.is_none());
    if writes {
        db.cluster.pg.current_command_id();
    }
    Ok(lines)
}

impl Plan {
    /// The table whose rows it replaces or takes away (`CheckValidResultRel`).
    fn replaces(&self) -> Option<Oid> {
        match self {
            Self::Insert(plan) => plan.on_conflict.as_ref()?.update.as_ref().map(|_| plan.table),
            Self::Update(plan) => Some(plan.scan.table),
            Self::Delete(plan) => Some(plan.scan.table),
            Self::Merge(plan) => Some(plan.table),
            Self::With(with) => with.plan.replaces(),
            Self::Select(_) => None,
        }
    }

    /// The indexes that its scans read.
    fn indexes(&self) -> Vec<Oid> {
        let scans: Vec<&Scan> = match self {
            Self::Insert(InsertPlan { source: InsertRows::Select(select, _), .. }) | Self::Select(select) => {
                select.scan.as_deref().into_iter().chain(select.extremes.iter().map(|extreme| &*extreme.scan)).collect()
            }
            Self::Insert(_) => Vec::new(),
            Self::Update(plan) => Vec::from([&*plan.scan]),
            Self::Delete(plan) => Vec::from([&*plan.scan]),
            Self::Merge(plan) => plan.join.way.scan().into_iter().collect(),
            Self::With(_) => Vec::new(),
        };
        let mut found = Vec::new();
        scans.into_iter().for_each(|scan| match &scan.method {
            Method::Index(scan) => found.push(scan),
            Method::Bitmap(bitmap) => bitmap.scans(&mut found),
            _ => {}
        });
        found.into_iter().map(|scan| scan.index).collect()
    }
}

/// The table of a statement, and its alias.
fn named(statement: &Statement) -> (Option<&RangeVar>, Option<&str>) {
    match statement {
        Statement::Insert(insert) => (Some(&insert.table), insert.alias.as_deref()),
        Statement::Update(update) => (Some(&update.table), update.alias.as_deref()),
        Statement::Delete(delete) => (Some(&delete.table), delete.alias.as_deref()),
        Statement::Merge(merge) => (Some(&merge.table), merge.alias.as_deref()),
        Statement::Select(select) => match select.from.first() {
            Some(FromItem::Table { name, alias, .. }) => (Some(name), alias.as_deref()),
            _ => (None, None),
        },
        _ => (None, None),
    }
}
