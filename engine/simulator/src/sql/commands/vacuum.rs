//! VACUUM: which tables, each with its TOAST table in a transaction of its own, and what pg_class says afterwards
//! (src/backend/commands/vacuum.c).

use super::analyze::analyze_table;
use super::partition;
use super::vacuum_full::vacuum_full;
use crate::access::brin::BrinIndex;
use crate::access::gist::Gist;
use crate::access::heap::vacuum::{IndexCleanup, IndexVacuum, RelStats, VacuumParams, heap_vacuum_rel};
use crate::access::nbtree::{BulkDeleteResult, Index};
use crate::cluster::pg_class::ClassStats;
use crate::sql::ast::{RangeVar, Statement, Vacuum};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc;
use crate::sql::permission;
use crate::sql::tcop::Database;
use crate::storage::{Instance, LockMode, Outcome, RelationData, RelationLock, Stop};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{ForkNumber, ItemPointer, Oid};
use ffviz_format::state::RelKind;

/// VACUUM.
pub(in crate::sql) fn vacuum(db: &mut Database, statement: &Vacuum) -> Result<String, SqlError> {
    not_in_block(db, "VACUUM")?;
    if statement.full && statement.process_toast == Some(false) {
        return Err(SqlError::new("0A000", "PROCESS_TOAST required with VACUUM FULL"));
    }
    if statement.index_cleanup == Some(IndexCleanup::Auto) && !db.cluster.pg.version.cleans_indexes_by_choice() {
        return Err(SqlError::new("42601", "index_cleanup requires a Boolean value"));
    }
    if statement.only_database_stats {
        // what pg_database says may change, which is not simulated
        return Ok("VACUUM".to_string());
    }
    let tables = tables(db, &statement.tables)?;
    if statement.skip_locked {
        tables.iter().try_for_each(|table| check_unlocked(db, *table))?;
    }
    db.vacuumed_all |= statement.tables.is_empty();
    // VACUUM FULL has locked the first table already, in the transaction in which it writes it anew
    let mut is_open = statement.full;
    if is_open && tables.iter().any(|table| db.cluster.catalog.partition_key(*table).is_some()) {
        return Err(partition::refuse("VACUUM FULL of a partitioned table"));
    }
    if !is_open {
        db.cluster.end_statement()?;
    }
    for table in tables {
        if db.cluster.catalog.partition_key(table).is_some() {
            // it has no rows of its own, and is analyzed all the same
        } else if statement.full {
            if !core::mem::take(&mut is_open) {
                db.cluster.pg.start_transaction(false);
            }
            vacuum_full(db, table)?;
        } else {
            vacuum_table(db, table, statement)?;
        }
        if statement.analyze {
            analyze_table(db, table, &statement.tables, &statement.columns)?;
        }
    }
    db.cluster.pg.start_transaction(false);
    Ok("VACUUM".to_string())
}

/// What is wrong with the options of VACUUM as such (`ExecVacuum`).
pub(in crate::sql) fn wrong_options(statement: &Statement) -> Option<SqlError> {
    const NOT_SUPPORTED: &str = "0A000";
    let Statement::Vacuum(vacuum) = statement else { return None };
    let limit = vacuum.buffer_limit.as_deref();
    if let Some(error) = limit.and_then(wrong_buffer_limit) {
        return Some(error);
    }
    if vacuum.full && !vacuum.analyze && limit.is_some_and(|limit| limit != "0") {
        return Some(SqlError::new(NOT_SUPPORTED, "BUFFER_USAGE_LIMIT cannot be specified for VACUUM FULL"));
    }
    if !vacuum.only_database_stats {
        return None;
    }
    let wrong = |what| {
        let message = alloc::format!("ONLY_DATABASE_STATS cannot be specified with {what}");
        Some(SqlError::new(NOT_SUPPORTED, message))
    };
    let Vacuum { full, freeze, analyze, disable_page_skipping, skip_locked, .. } = *vacuum;
    match full || freeze || analyze || disable_page_skipping || skip_locked {
        _ if !vacuum.tables.is_empty() => wrong("a list of tables"),
        true => wrong("other VACUUM options"),
        false => None,
    }
}

/// BUFFER_USAGE_LIMIT, which is empty where it has no value.
fn wrong_buffer_limit(value: &str) -> Option<SqlError> {
    const RANGE: core::ops::RangeInclusive<i64> = 128..=16_777_216;
    if value.is_empty() {
        return Some(SqlError::new("42601", "buffer_usage_limit requires a parameter"));
    }
    if guc::size_in_kilobytes(value).is_some_and(|size| size == 0 || RANGE.contains(&size)) {
        return None;
    }
    let message = "BUFFER_USAGE_LIMIT option must be 0 or between 128 kB and 16777216 kB";
    Some(SqlError::new("22023", message))
}

/// SKIP_LOCKED of a table that nobody has locked is nothing else.
fn check_unlocked(db: &Database, table: Oid) -> Result<(), SqlError> {
    let lock = RelationLock { relation: table, mode: LockMode::ShareUpdateExclusive };
    match db.cluster.pg.locks.blockers(db.cluster.pg.me, lock).next() {
        None => Ok(()),
        Some(_) => {
            let message = "VACUUM (SKIP_LOCKED) of a table that another session has locked is not supported";
            Err(SqlError::new(NOT_SIMULATED, message))
        }
    }
}

pub(super) fn not_in_block(db: &Database, what: &str) -> Result<(), SqlError> {
    match db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        true => Err(SqlError::new("25001", alloc::format!("{what} cannot run inside a transaction block"))),
        false => Ok(()),
    }
}

/// The tables named; all of them where none is.
pub(super) fn tables(db: &Database, names: &[RangeVar]) -> Result<Vec<Oid>, SqlError> {
    if names.is_empty() {
        let tables = db.cluster.catalog.classes().filter(|class| class.kind == RelKind::Table);
        let own = tables.map(|class| class.oid).filter(|table| !db.cluster.is_other_temporary(*table));
        return Ok(own.collect());
    }
    let mut found = Vec::new();
    for name in names {
        let relation = db.open(name)?;
        if matches!(partition::plain_kind(relation.kind), RelKind::Index | RelKind::Sequence) {
            // WARNING: skipping "s" --- cannot vacuum non-tables
            continue;
        }
        let named = partition::find_any_table(db, name)?;
        let is_parent = db.cluster.catalog.is_inherited(named);
        match name.only || is_parent && !db.cluster.version().maintains_children() {
            true => found.push(named),
            false => found.extend(db.cluster.catalog.inheritors(named)),
        }
    }
    // WARNING: permission denied to vacuum "t", skipping it
    found.retain(|table| permission::may_maintain(db, *table));
    Ok(found)
}

/// A table, then its TOAST table.
fn vacuum_table(db: &mut Database, table: Oid, statement: &Vacuum) -> Result<(), SqlError> {
    let toast = db.cluster.pg.relation(table)?.toast.filter(|_| statement.process_toast != Some(false));
    for oid in core::iter::once(table).chain(toast) {
        // the first transaction has asked for the table's lock
        let is_temporary = oid != table && db.cluster.is_temporary(oid);
        if oid == table && statement.skip_main {
            // it is locked, and left as it is
            db.cluster.pg.start_transaction(false);
            db.cluster.take_snapshot();
            db.cluster.end_statement()?;
            continue;
        }
        vacuum_rel(db, oid, is_temporary, statement)?;
    }
    Ok(())
}

/// `vacuum_rel`
fn vacuum_rel(db: &mut Database, oid: Oid, uses_temporary: bool, statement: &Vacuum) -> Result<(), SqlError> {
    db.cluster.pg.start_transaction(false);
    db.cluster.pg.backend_mut().in_vacuum = true;
    db.cluster.take_snapshot();
    if uses_temporary {
        db.cluster.use_temporary();
    }
    let relation = db.cluster.pg.relation(oid)?;
    // `lazy_scan_noprune`
    if db.cluster.is_held(relation.file) {
        let message = "VACUUM of a table of which a cursor holds a page is not supported; close the cursor first";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let stats = db.cluster.known_stats(oid);
    let params = VacuumParams {
        freeze: statement.freeze,
        disable_page_skipping: statement.disable_page_skipping,
        index_cleanup: match statement.index_cleanup {
            Some(said) => said,
            None => match relation.vacuum.index_cleanup {
                None => IndexCleanup::Auto,
                Some(true) => IndexCleanup::On,
                Some(false) => IndexCleanup::Off,
            },
        },
        truncate: statement.truncate.or(relation.vacuum.truncate).unwrap_or(true),
        may_lock_exclusively: !db.cluster.pg.locks.is_shared(db.cluster.pg.me, oid),
        database: db.cluster.database,
        relpages: stats.relpages,
        reltuples: stats.reltuples,
        relfrozenxid: stats.relfrozenxid,
        relminmxid: stats.relminmxid,
    };
    let mut indexes = Indexes::open(&db.cluster.pg, &relation)?;
    let done = heap_vacuum_rel(&mut db.cluster.pg, &relation, params, &mut indexes);
    let done = match done {
        Ok(done) => done,
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Wait(_)) => return Err(SqlError::new("XX000", "VACUUM waits for a row")),
    };
    record_stats(db, &relation, &done.class, false);
    let rows = (done.class.reltuples.max(0.0) as i64, done.recently_dead as i64);
    let now = db.cluster.clock;
    db.cluster.pg.report_vacuum(oid, rows, now);
    indexes.record_stats(db);
    db.cluster.end_statement()
}

/// `vac_update_relstats`. Within a transaction block what hangs on the table may come back (`in_outer_xact`).
pub(super) fn record_stats(db: &mut Database, relation: &RelationData, found: &RelStats, in_block: bool) {
    let RelStats { relpages, reltuples, relallvisible, relallfrozen, relfrozenxid, relminmxid } = *found;
    let class = db.cluster.catalog.class(relation.oid);
    let calls_any = class.is_some_and(|class| !class.triggers.is_empty());
    let before = class.map(|class| class.stats).unwrap_or_default();
    let relfrozenxid = relfrozenxid.unwrap_or(before.relfrozenxid);
    let relminmxid = relminmxid.unwrap_or(before.relminmxid);
    let has_index = before.has_index && (in_block || db.cluster.pg.has_ready_index(relation));
    let calls_any = calls_any || db.cluster.catalog.has_foreign_keys(relation.oid);
    let has_triggers = before.has_triggers && (in_block || calls_any);
    let oldest = ClassStats { relfrozenxid, relminmxid, ..before };
    let after = ClassStats { relpages, reltuples, relallvisible, relallfrozen, has_index, has_triggers, ..oldest };
    db.cluster.set_stats(relation.oid, after);
}

/// The indexes of a table that is vacuumed.
struct Indexes {
    indexes: Vec<IndexAtWork>,
}

/// One of them.
struct IndexAtWork {
    relation: Arc<RelationData>,
    result: Option<BulkDeleteResult>,
    /// were its entries counted? From 14 on a scan for deleted pages alone only estimates
    is_counted: bool,
}

impl IndexAtWork {
    fn is_brin(&self) -> bool {
        self.relation.index.as_ref().is_some_and(|form| form.summarizing)
    }
}

impl Indexes {
    fn open(pg: &Instance, table: &RelationData) -> Result<Self, SqlError> {
        let relations = table.indexes.iter().map(|oid| pg.relation(*oid)).collect::<Result<Vec<_>, SqlError>>()?;
        let ready = relations.into_iter().filter(|relation| !relation.is_invalid());
        Ok(Self { indexes: ready.map(|relation| IndexAtWork { relation, result: None, is_counted: false }).collect() })
    }

    /// `update_relstats_all_indexes`
    fn record_stats(&self, db: &mut Database) {
        for index in self.indexes.iter().filter(|index| index.is_counted) {
            if let Some(result) = &index.result {
                record_index_stats(db, &index.relation, result.num_index_tuples as f32);
            }
        }
    }
}

/// `vac_update_relstats` of an index.
pub(super) fn record_index_stats(db: &mut Database, index: &RelationData, reltuples: f32) {
    let relpages = db.cluster.pg.buffers.nblocks(index.file, ForkNumber::Main);
    let before = db.cluster.catalog.class(index.oid).map(|class| class.stats).unwrap_or_default();
    db.cluster.set_stats(index.oid, ClassStats { relpages, reltuples, ..before });
}

impl IndexVacuum for Indexes {
    fn bulk_delete(&mut self, pg: &mut Instance, dead: &[ItemPointer]) -> Outcome<()> {
        for index in &mut self.indexes {
            let is_dead = |tid: ItemPointer| dead.binary_search(&tid).is_ok();
            let is_gist = index.relation.index.as_ref().is_some_and(|form| form.gist.is_some());
            index.result = Some(match is_gist {
                // `brinbulkdelete`
                _ if index.is_brin() => BulkDeleteResult::default(),
                true => Gist::new(pg, &index.relation).bulk_delete(&is_dead),
                false => Index::new(pg, &index.relation).bulk_delete(&is_dead),
            });
        }
        Ok(())
    }

    fn cleanup(&mut self, pg: &mut Instance) -> Outcome<()> {
        for index in &mut self.indexes {
            if index.is_brin() {
                let table = pg.relation(index.relation.index.as_ref().map_or(0, |form| form.table))?;
                index.is_counted = true;
                index.result = Some(BrinIndex::new(index.relation.clone()).vacuum_cleanup(pg, &table)?);
                continue;
            }
            if index.relation.index.as_ref().is_some_and(|form| form.gist.is_some()) {
                index.is_counted = true;
                index.result = Some(Gist::new(pg, &index.relation).vacuum_cleanup(index.result.take()));
                continue;
            }
            index.is_counted = index.result.is_some() || !pg.version.counts_from_unknown();
            index.result = Index::new(pg, &index.relation).vacuum_cleanup(index.result.take());
        }
        Ok(())
    }
}
