//! When autovacuum takes a table (`relation_needs_vacanalyze`, src/backend/postmaster/autovacuum.c). Here it looks
//! after each transaction; a server looks once a minute.

use crate::cluster::Class;
use crate::sql::run::Simulator;
use crate::storage::RelationStats;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Thresholds as they are where nobody has changed them: so many rows and that share of the table's.
const VACUUM: (f64, f64) = (50.0, 0.2);
const VACUUM_INSERT: (f64, f64) = (1000.0, 0.2);
const ANALYZE: (f64, f64) = (50.0, 0.1);

/// The statements that are due.
pub(super) fn due(simulator: &Simulator) -> Vec<String> {
    let cluster = &simulator.db.cluster;
    let is_over = |count: i64, (base, share): (f64, f64), rows: f64| count as f64 > base + share * rows;
    let statement = |(oid, counts): (Oid, &RelationStats)| {
        // temporary tables are their session's, to which autovacuum has no way
        let is_its = |class: &&Arc<Class>| class.kind == RelKind::Table && !cluster.is_temporary(oid);
        let class = cluster.catalog.class(oid).filter(is_its)?;
        let rows = f64::from(class.stats.reltuples.max(0.0));
        let vacuum = is_over(counts.dead, VACUUM, rows) || is_over(counts.inserted_since_vacuum, VACUUM_INSERT, rows);
        let command = match (vacuum, is_over(counts.modified, ANALYZE, rows)) {
            (true, true) => "VACUUM ANALYZE",
            (true, false) => "VACUUM",
            (false, true) => "ANALYZE",
            (false, false) => return None,
        };
        Some(format!("{command} \"{}\"", class.name.replace('"', "\"\"")))
    };
    cluster.pg.stats.all().filter_map(statement).collect()
}
