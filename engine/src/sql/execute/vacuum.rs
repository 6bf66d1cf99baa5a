//! VACUUM and ANALYZE: which tables, each with its TOAST table in a transaction of its own, and what pg_class says afterwards
//! (src/backend/commands/vacuum.c, analyze.c).

use super::Database;
use super::ddl::find_table;
use crate::cluster::catalog::ClassStats;
use crate::datum::SqlError;
use crate::heap::access::scan::heap_analyze_page;
use crate::heap::access::vacuum::{IndexCleanup, IndexVacuum, RelStats, VacuumParams, VacuumStats, heap_vacuum_rel};
use crate::nbtree::access::{BulkDeleteResult, Index};
use crate::page::{ForkNumber, ItemPointer, Oid};
use crate::sql::ast::{self, RangeVar, Vacuum};
use crate::storage::{Buffer, Instance, IsolationLevel, Outcome, RelKind, RelationData, Stop};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// VACUUM.
pub(super) fn vacuum(db: &mut Database, statement: &Vacuum) -> Result<String, SqlError> {
    not_in_block(db, "VACUUM")?;
    let tables = tables(db, &statement.tables)?;
    end_transaction(db);
    for table in tables {
        vacuum_table(db, table, statement)?;
        if statement.analyze {
            analyze_table(db, table)?;
        }
    }
    db.cluster.pg.start_transaction(IsolationLevel::default(), false);
    Ok("VACUUM".to_string())
}

/// ANALYZE.
pub(super) fn analyze(db: &mut Database, names: &[RangeVar]) -> Result<String, SqlError> {
    for table in tables(db, names)? {
        analyze_table(db, table)?;
    }
    Ok("ANALYZE".to_string())
}

fn not_in_block(db: &Database, what: &str) -> Result<(), SqlError> {
    match db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        true => Err(SqlError::new("25001", alloc::format!("{what} cannot run inside a transaction block"))),
        false => Ok(()),
    }
}

/// The tables named; all of them where none is.
fn tables(db: &Database, names: &[RangeVar]) -> Result<Vec<Oid>, SqlError> {
    if names.is_empty() {
        let tables = db.cluster.catalog.classes().filter(|class| class.kind == RelKind::Table);
        return Ok(tables.map(|class| class.oid).collect());
    }
    names.iter().map(|name| find_table(db, name)).collect()
}

/// The transaction that the statement began in is over before the first table.
fn end_transaction(db: &mut Database) {
    db.cluster.end_statement();
}

/// A table, then its TOAST table.
fn vacuum_table(db: &mut Database, table: Oid, statement: &Vacuum) -> Result<(), SqlError> {
    let toast = db.cluster.pg.relation(table)?.toast;
    for oid in core::iter::once(table).chain(toast) {
        vacuum_rel(db, oid, statement)?;
    }
    Ok(())
}

/// `vacuum_rel`
fn vacuum_rel(db: &mut Database, oid: Oid, statement: &Vacuum) -> Result<(), SqlError> {
    db.cluster.pg.start_transaction(IsolationLevel::default(), false);
    db.cluster.pg.backend_mut().in_vacuum = true;
    db.cluster.take_snapshot();
    let relation = db.cluster.pg.relation(oid)?;
    let stats = db.cluster.catalog.class(oid).map(|class| class.stats).unwrap_or_default();
    let params = VacuumParams {
        freeze: statement.freeze,
        disable_page_skipping: statement.disable_page_skipping,
        index_cleanup: match statement.index_cleanup {
            ast::IndexCleanup::Auto => IndexCleanup::Auto,
            ast::IndexCleanup::On => IndexCleanup::On,
            ast::IndexCleanup::Off => IndexCleanup::Off,
        },
        truncate: statement.truncate.unwrap_or(true),
        may_lock_exclusively: true,
        database: db.cluster.database,
        relpages: stats.relpages,
        reltuples: stats.reltuples,
        relfrozenxid: stats.relfrozenxid,
    };
    let mut indexes = Indexes::open(&db.cluster.pg, &relation)?;
    let done = heap_vacuum_rel(&mut db.cluster.pg, &relation, params, &mut indexes);
    let done = match done {
        Ok(done) => done,
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Wait(_)) => return Err(SqlError::new("XX000", "VACUUM waits for a row")),
    };
    record_stats(db, &relation, &done);
    db.cluster.end_statement();
    Ok(())
}

/// `vac_update_relstats`: where anything changes, all sessions forget the table's target block.
fn record_stats(db: &mut Database, relation: &RelationData, done: &VacuumStats) {
    let RelStats { relpages, reltuples, relallvisible, relallfrozen, relfrozenxid } = done.class;
    let before = db.cluster.catalog.class(relation.oid).map(|class| class.stats).unwrap_or_default();
    let relfrozenxid = relfrozenxid.unwrap_or(before.relfrozenxid);
    let after = ClassStats { relpages, reltuples, relallvisible, relallfrozen, relfrozenxid };
    if after != before {
        db.cluster.set_stats(relation.oid, after);
        db.cluster.pg.forget_target_block(relation.file);
    }
}

/// The B-trees of a table that is vacuumed.
struct Indexes {
    indexes: Vec<(Arc<RelationData>, Option<BulkDeleteResult>)>,
}

impl Indexes {
    fn open(pg: &Instance, table: &RelationData) -> Result<Self, SqlError> {
        let open = table.indexes.iter().map(|oid| Ok((pg.relation(*oid)?, None)));
        let mut indexes: Vec<(Arc<RelationData>, _)> = open.collect::<Result<_, SqlError>>()?;
        indexes.retain(|(relation, _)| relation.index.as_ref().is_some_and(|form| !form.summarizing));
        Ok(Self { indexes })
    }
}

impl IndexVacuum for Indexes {
    fn bulk_delete(&mut self, pg: &mut Instance, dead: &[ItemPointer]) -> Outcome<()> {
        for (relation, result) in &mut self.indexes {
            let is_dead = |tid: ItemPointer| dead.binary_search(&tid).is_ok();
            *result = Some(Index::new(pg, relation).bulk_delete(&is_dead));
        }
        Ok(())
    }

    fn cleanup(&mut self, pg: &mut Instance) -> Outcome<()> {
        for (relation, result) in &mut self.indexes {
            Index::new(pg, relation).vacuum_cleanup(result.take());
        }
        Ok(())
    }
}

/// `analyze_rel`: looks at all pages, as the sample of a small table does. What it finds goes to pg_statistic, which takes a transaction id.
fn analyze_table(db: &mut Database, table: Oid) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    if db.cluster.pg.backend().xact.is_none() {
        db.cluster.pg.start_transaction(IsolationLevel::default(), false);
    }
    db.cluster.take_snapshot();
    let oldest = db.cluster.pg.compute_horizon();
    let pages = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let mut live = 0_u32;
    for block in 0..pages {
        live += heap_analyze_page(&mut db.cluster.pg, Buffer::main(relation.file, block), oldest).live;
    }
    let vm = |bit: u8| {
        (0..pages).filter(|block| db.cluster.pg.visibilitymap_status(relation.file, *block) & bit != 0).count() as u32
    };
    let class = RelStats {
        relpages: pages,
        reltuples: live as f32,
        relallvisible: vm(1),
        relallfrozen: vm(2),
        relfrozenxid: None,
    };
    if live > 0 {
        db.cluster.pg.current_xid();
    }
    record_stats(db, &relation, &VacuumStats { scanned_pages: pages, locked_exclusively: false, class });
    if !db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        db.cluster.end_statement();
        db.cluster.pg.start_transaction(IsolationLevel::default(), false);
    }
    Ok(())
}
