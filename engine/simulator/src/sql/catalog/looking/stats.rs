//! The views of the cumulative statistics (`pg_stat_user_tables` and its like, src/backend/catalog/system_views.sql).
//!
//! No time passes here within a statement: what VACUUM and ANALYZE took is 0. Autovacuum does nothing by itself, so its
//! counters stay 0.

use super::Rows;
use super::catalogs::{OID, TEXT, is_of_toast};
use crate::cluster::Class;
use crate::sql::tcop::Database;
use crate::storage::RelationStats;
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::state::RelKind;

const INT8: Oid = 20;
const FLOAT8: Oid = 701;
const TIMESTAMPTZ: Oid = 1184;

type Columns = Vec<(&'static str, Oid)>;

pub(super) fn of_tables(major: u32) -> Columns {
    let version = PgVersion::of_major(major);
    let numbers = |names: &[&'static str]| names.iter().map(|name| (*name, INT8)).collect::<Columns>();
    let mut columns = Vec::from([("relid", OID), ("schemaname", TEXT), ("relname", TEXT), ("seq_scan", INT8)]);
    columns.extend(version.tells_last_scans().then_some(("last_seq_scan", TIMESTAMPTZ)));
    columns.extend(numbers(&["seq_tup_read", "idx_scan"]));
    columns.extend(version.tells_last_scans().then_some(("last_idx_scan", TIMESTAMPTZ)));
    columns.extend(numbers(&["idx_tup_fetch", "n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd"]));
    columns.extend(version.tells_last_scans().then_some(("n_tup_newpage_upd", INT8)));
    columns.extend(numbers(&["n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum"]));
    let times = ["last_vacuum", "last_autovacuum", "last_analyze", "last_autoanalyze"];
    columns.extend(times.map(|name| (name, TIMESTAMPTZ)));
    columns.extend(numbers(&["vacuum_count", "autovacuum_count", "analyze_count", "autoanalyze_count"]));
    if version.tells_vacuum_times() {
        let took = ["total_vacuum_time", "total_autovacuum_time", "total_analyze_time", "total_autoanalyze_time"];
        columns.extend(took.map(|name| (name, FLOAT8)));
    }
    columns
}

/// Of `pg_statio_user_tables` the names: what was read from where is another number each time.
pub(super) fn of_io(_: u32) -> Columns {
    Vec::from([("relid", OID), ("schemaname", TEXT), ("relname", TEXT)])
}

/// The rows of `pg_statio_user_tables`.
pub(super) fn io(db: &Database) -> Rows {
    tables(db, true).into_iter().map(|row| row.into_iter().take(3).collect()).collect()
}

pub(super) fn of_indexes(major: u32) -> Columns {
    let mut columns = Vec::from([("relid", OID), ("indexrelid", OID)]);
    columns.extend(["schemaname", "relname", "indexrelname"].map(|name| (name, TEXT)));
    columns.push(("idx_scan", INT8));
    columns.extend(PgVersion::of_major(major).tells_last_scans().then_some(("last_idx_scan", TIMESTAMPTZ)));
    columns.extend(["idx_tup_read", "idx_tup_fetch"].map(|name| (name, INT8)));
    columns
}

fn count(number: u64) -> Value {
    Value::Int8(number.cast_signed())
}

fn time(time: Option<i64>) -> Value {
    time.map_or(Value::Null, Value::TimestampTz)
}

/// `own`: without those of TOAST.
pub(super) fn tables(db: &Database, own: bool) -> Rows {
    let is_table = |class: &&Arc<Class>| match class.kind {
        RelKind::Table => true,
        RelKind::Toast => !own,
        RelKind::PartitionedTable => db.cluster.version().counts_partitioned_tables(),
        _ => false,
    };
    db.cluster.catalog.classes().filter(is_table).map(|class| table_row(db, class)).collect()
}

fn table_row(db: &Database, class: &Class) -> Vec<Value> {
    let (all, version) = (&db.cluster.pg.stats, db.cluster.version());
    let stats = all.of(class.oid);
    // those of a partitioned table have no pages, and so no scans
    let is_its = |index: &&Arc<Class>| {
        matches!(index.kind, RelKind::Index | RelKind::PartitionedIndex) && index.table == Some(class.oid)
    };
    let indexes = db.cluster.catalog.classes().filter(is_its).map(|index| all.of(index.oid));
    let indexes: Vec<RelationStats> = indexes.collect();
    let of_indexes = |sum: u64| if indexes.is_empty() { Value::Null } else { count(sum) };
    let mut row = Vec::from([Value::Oid(class.oid), Value::text(&class.schema), Value::text(&class.name)]);
    row.push(count(stats.scans));
    row.extend(version.tells_last_scans().then(|| time(stats.last.scan)));
    row.extend([count(stats.read), of_indexes(indexes.iter().map(|index| index.scans).sum())]);
    let last = indexes.iter().filter_map(|index| index.last.scan).max();
    row.extend(version.tells_last_scans().then(|| time(last)));
    row.push(of_indexes(stats.fetched + indexes.iter().map(|index| index.fetched).sum::<u64>()));
    row.extend([stats.inserted, stats.updated, stats.deleted, stats.hot_updated].map(count));
    row.extend(version.tells_last_scans().then(|| count(stats.newpage_updated)));
    row.extend([stats.live, stats.dead, stats.modified, stats.inserted_since_vacuum].map(Value::Int8));
    row.extend([time(stats.last.vacuum), Value::Null, time(stats.last.analyze), Value::Null]);
    row.extend([stats.vacuums, 0, stats.analyzes, 0].map(count));
    if version.tells_vacuum_times() {
        row.extend([0.0; 4].map(Value::Float8));
    }
    row
}

pub(super) fn indexes(db: &Database, own: bool) -> Rows {
    let is_index = |class: &&Arc<Class>| class.kind == RelKind::Index && !(own && is_of_toast(db, class));
    let row = |class: &Arc<Class>| {
        let (stats, table) = (db.cluster.pg.stats.of(class.oid), db.cluster.catalog.class(class.table?)?);
        let mut row = Vec::from([Value::Oid(table.oid), Value::Oid(class.oid)]);
        row.extend([&class.schema, &table.name, &class.name].map(|name| Value::text(name)));
        row.push(count(stats.scans));
        row.extend(db.cluster.version().tells_last_scans().then(|| time(stats.last.scan)));
        row.extend([count(stats.read), count(stats.fetched)]);
        Some(row)
    };
    db.cluster.catalog.classes().filter(is_index).filter_map(row).collect()
}
