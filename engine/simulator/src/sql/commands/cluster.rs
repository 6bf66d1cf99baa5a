//! CLUSTER: a table is written anew in the order of an index (src/backend/commands/cluster.c).
//!
//! ```text
//!  the plan of  select * from t order by …    Index Scan ──▶ versions as the entries lead to them
//!  (`plan_cluster_use_sort`)                  Sort ────────▶ versions of the old file, sorted by their keys
//! ```
//!
//! Which of the two it is decides about rows with equal keys only.

use super::vacuum::not_in_block;
use super::vacuum_full::rewrite_table;
use crate::access::heap::heap_tuple;
use crate::access::heap::scan::IndexFetch;
use crate::access::heap::visibility::{HtsvResult, heap_tuple_satisfies_vacuum};
use crate::access::nbtree::{IndexBounds, IndexScan};
use crate::sql::ast::{Cluster, Statement};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::{eval, read_row};
use crate::sql::executor::select::{SortTuple, Tuplesort};
use crate::sql::expr::SortKey;
use crate::sql::parse::parse;
use crate::sql::plan::plan_query;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, LockMode, Outcome, RelationData, RelationLock};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{ForkNumber, ItemIdData, ItemPointer, OffsetNumber, Oid, TransactionId};
use ffviz_format::state::RelKind;

pub(in crate::sql) fn cluster(db: &mut Database, statement: &Cluster) -> Result<String, SqlError> {
    let Some(table) = &statement.table else {
        not_in_block(db, "CLUSTER")?;
        return cluster_all(db);
    };
    let class = db.open(table)?;
    if class.kind != RelKind::Table {
        return Err(refuse("CLUSTER of anything but a table"));
    }
    let (table, name) = (class.oid, class.name.clone());
    let index = match &statement.index {
        Some(index) => index_of(db, table, (&name, index))?,
        None => db.cluster.catalog.class(table).and_then(|class| class.clustered).ok_or_else(|| {
            SqlError::new("42704", format!("there is no previously clustered index for table \"{name}\""))
        })?,
    };
    check_index_is_clusterable(db, index)?;
    set_clustered(db, table, Some(index));
    let relation = db.cluster.pg.relation(table)?;
    let keys = sort_keys(db, &relation, index)?;
    rewrite_table(db, table, |db, old, horizon| match keys {
        Some(keys) => sorted(db, old, &keys, horizon).map(Some),
        None => by_index(db, old, index).map(Some),
    })?;
    Ok("CLUSTER".to_string())
}

/// The tables that were clustered before, each in a transaction of its own (`get_tables_to_cluster`). Of several the
/// order would be that of rows of `pg_index`.
fn cluster_all(db: &mut Database) -> Result<String, SqlError> {
    let marked = db.cluster.catalog.classes().filter_map(|class| Some((class.oid, class.clustered?)));
    let marked: Vec<(Oid, Oid)> = marked.filter(|(table, _)| !db.cluster.is_other_temporary(*table)).collect();
    if marked.len() > 1 {
        return Err(refuse("CLUSTER of several tables that were clustered before"));
    }
    db.cluster.end_statement()?;
    for (table, index) in marked {
        db.cluster.pg.start_transaction(false);
        db.cluster.take_snapshot();
        let lock = RelationLock { relation: table, mode: LockMode::AccessExclusive };
        if !db.cluster.lock_relation(lock) {
            return Err(refuse("CLUSTER that waits for a table that it does not name"));
        }
        let relation = db.cluster.pg.relation(table)?;
        let keys = sort_keys(db, &relation, index)?;
        rewrite_table(db, table, |db, old, horizon| match keys {
            Some(keys) => sorted(db, old, &keys, horizon).map(Some),
            None => by_index(db, old, index).map(Some),
        })?;
        db.cluster.end_statement()?;
    }
    db.cluster.pg.start_transaction(false);
    Ok("CLUSTER".to_string())
}

fn refuse(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} is not supported"))
}

/// An index of the table by its name.
fn index_of(db: &Database, table: Oid, (name, index): (&str, &str)) -> Result<Oid, SqlError> {
    let indexes = db.cluster.pg.relation(table)?.indexes.clone();
    let is_it = |oid: &Oid| db.cluster.catalog.class(*oid).is_some_and(|class| class.name == index);
    let missing = || SqlError::new("42704", format!("index \"{index}\" for table \"{name}\" does not exist"));
    let of_other = || SqlError::new("42809", format!("\"{index}\" is not an index for table \"{name}\""));
    let schema = db.cluster.catalog.class(table).map(|class| class.schema.clone()).unwrap_or_default();
    let is_there = || db.cluster.catalog.classes().any(|class| class.name == index && class.schema == schema);
    indexes.into_iter().find(is_it).ok_or_else(|| if is_there() { of_other() } else { missing() })
}

/// ALTER TABLE … CLUSTER ON
pub(super) fn mark_index_clustered(db: &mut Database, table: Oid, index: &str) -> Result<(), SqlError> {
    let name = db.cluster.catalog.class(table).map(|class| class.name.clone()).unwrap_or_default();
    let index = index_of(db, table, (&name, index))?;
    check_index_is_clusterable(db, index)?;
    set_clustered(db, table, Some(index));
    Ok(())
}

/// Rows of `pg_index` are changed where another index was marked, or none.
pub(super) fn set_clustered(db: &mut Database, table: Oid, index: Option<Oid>) {
    if db.cluster.catalog.class(table).is_some_and(|class| class.clustered != index) {
        db.cluster.pg.current_xid();
        db.cluster.edit_class(table, |class| class.clustered = index);
    }
}

/// `check_index_is_clusterable`
fn check_index_is_clusterable(db: &Database, index: Oid) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(index)?;
    let Some(form) = &relation.index else { return Ok(()) };
    let name = db.cluster.catalog.class(index).map(|class| class.name.clone()).unwrap_or_default();
    if form.summarizing {
        let message = format!("cannot cluster on index \"{name}\" because access method does not support clustering");
        return Err(SqlError::new("0A000", message));
    }
    if form.gist.is_some() {
        return Err(refuse("CLUSTER by a GiST index"));
    }
    if form.partial {
        return Err(SqlError::new("0A000", format!("cannot cluster on partial index \"{name}\"")));
    }
    match db.cluster.catalog.class(index).is_some_and(|class| class.has_expressions) {
        true => Err(refuse("CLUSTER by an index of expressions")),
        false => Ok(()),
    }
}

/// `plan_cluster_use_sort`: by what it sorts; `None`: it reads the index.
fn sort_keys(db: &mut Database, table: &RelationData, index: Oid) -> Result<Option<Vec<SortKey>>, SqlError> {
    let names = |oid: Oid| db.cluster.catalog.class(oid).map(|class| (class.schema.clone(), class.name.clone()));
    let Some((schema, name)) = names(table.oid) else { return Ok(None) };
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let relation = db.cluster.pg.relation(index)?;
    let Some(form) = &relation.index else { return Ok(None) };
    let keys = form.columns.iter().take(usize::from(form.n_keys)).map(|key| {
        let column = table.desc.attributes().get(usize::from(key.attnum).wrapping_sub(1));
        let (direction, nulls) =
            (if key.desc { "desc" } else { "asc" }, if key.nulls_first { "first" } else { "last" });
        format!("{} {direction} nulls {nulls}", quoted(column.map_or("", |column| &column.name)))
    });
    let keys = keys.collect::<Vec<_>>().join(", ");
    let sql = format!("select * from {}.{} order by {keys}", quoted(&schema), quoted(&name));
    let refused = |_| refuse("CLUSTER of this table");
    let Ok(Statement::Select(select)) = parse(&sql).map_err(refused) else { return Ok(None) };
    let plan = plan_costs_only(db, |db| plan_query(&select, db)).map_err(|_| refuse("CLUSTER of this table"))?;
    if plan.presorted > 0 {
        return Err(refuse("CLUSTER of rows that another index has sorted in part"));
    }
    Ok((!plan.sort.is_empty()).then_some(plan.sort))
}

/// With `enable_indexscan` off it is sorted, whatever else is. Else only costs are compared: where a version counts the
/// nodes that a setting forbids, instead of adding to their costs, `enable_seqscan` and `enable_sort` do nothing.
fn plan_costs_only<T>(db: &mut Database, plan: impl FnOnce(&mut Database) -> T) -> T {
    let settings = &mut db.cluster.pg.backend_mut().settings;
    let (seqscan, sort) = (settings.enable_seqscan, settings.enable_sort);
    if !settings.enable_indexscan || db.cluster.version().counts_disabled_nodes() {
        let settings = &mut db.cluster.pg.backend_mut().settings;
        (settings.enable_seqscan, settings.enable_sort) = (true, true);
    }
    let planned = plan(db);
    let settings = &mut db.cluster.pg.backend_mut().settings;
    (settings.enable_seqscan, settings.enable_sort) = (seqscan, sort);
    planned
}

/// The versions of the old file that are not dead, sorted by their keys.
fn sorted(
    db: &mut Database,
    table: &RelationData,
    keys: &[SortKey],
    horizon: TransactionId,
) -> Outcome<Vec<ItemPointer>> {
    let mut sort = Tuplesort::new(keys, 0, None);
    for block in 0..db.cluster.pg.buffers.nblocks(table.file, ForkNumber::Main) {
        let buf = Buffer::main(table.file, block);
        let count = db.cluster.pg.buffers.page(buf).item_count();
        for offset in (1..=count).map(OffsetNumber) {
            let tid = ItemPointer { block, offset };
            let Some(mut tuple) = heap_tuple(&db.cluster.pg, buf, offset) else { continue };
            if heap_tuple_satisfies_vacuum(&mut db.cluster.pg, &mut tuple, buf, horizon) == HtsvResult::Dead {
                continue;
            }
            let Some(row) = read_row(db, table, tid) else { continue };
            let by = keys.iter().map(|key| eval(db, &key.expr, &row.values, &[])).collect::<Outcome<Vec<_>>>()?;
            sort.put(db, SortTuple { by, row: tid })?;
        }
    }
    Ok(sort.perform(db)?.into_iter().map(|tuple| tuple.row).collect())
}

/// The versions that the index leads to, with their HOT chains.
fn by_index(db: &mut Database, table: &RelationData, index: Oid) -> Outcome<Vec<ItemPointer>> {
    let index: Arc<RelationData> = db.cluster.pg.relation(index)?;
    let mut scan = IndexScan::new(IndexBounds::default(), false);
    let (mut found, mut fetch) = (Vec::new(), IndexFetch::default());
    while let Some(tid) = scan.next(&mut db.cluster.pg, &index)? {
        let mut next = Some(tid);
        while let Some(tid) = next.take() {
            let buf = Buffer::main(table.file, tid.block);
            fetch.go_to(&mut db.cluster.pg, table, buf);
            let line_pointer = db.cluster.pg.buffers.page(buf).item_id(tid.offset);
            if let Some(offset) = line_pointer.and_then(ItemIdData::redirect) {
                next = Some(ItemPointer { offset, ..tid });
            } else if let Some(tuple) = heap_tuple(&db.cluster.pg, buf, tid.offset) {
                found.push(tid);
                next = tuple.is_hot_updated().then_some(tuple.t_ctid);
            }
        }
    }
    fetch.end(&mut db.cluster.pg);
    scan.end(&mut db.cluster.pg, &index);
    Ok(found)
}
