//! Rows that go to partitions (`ExecFindPartition`, `ExecInitPartitionInfo`, src/backend/executor/execPartition.c;
//! `ExecCrossPartitionUpdate`, src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  INSERT INTO p ─▶ which partition? ─▶ it takes the place of p in Modify ─▶ as into any table
//!  UPDATE p      ─▶ the partition that the scan is on; a row that is no longer its ─▶ deleted there, inserted anew
//! ```

use super::generated::Generated;
use super::index::{OpenIndex, open_indexes};
use super::modify::{AtWork, Modify, Source, columns_of, has_triggers};
use super::row::{Row, is_external};
use crate::access::heap::{TmResult, heap_delete_moved};
use crate::cluster::Lookup;
use crate::cluster::pg_class::Trigger;
use crate::sql::catalog::Catalog;
use crate::sql::commands::constraint::RowChecks;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::Calculation;
use crate::sql::partition::PartitionDesc;
use crate::sql::plan::{Method, RowMap, SetColumn};
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// A table that rows are put into, with what is asked of them (`ResultRelInfo`).
#[derive(Debug)]
struct Target {
    relation: Arc<RelationData>,
    row_checks: RowChecks,
    generated: Generated,
    indexes: Vec<OpenIndex>,
}

/// The table at work, wherever a statement keeps it.
pub(in crate::sql) struct AtTable<'a> {
    pub relation: &'a mut Arc<RelationData>,
    pub row_checks: &'a mut RowChecks,
    pub generated: &'a mut Generated,
    pub indexes: &'a mut Vec<OpenIndex>,
}

/// The partitions of the table that a statement names.
#[derive(Debug)]
pub(in crate::sql) struct Routing {
    pub root: Oid,
    /// what is asked of rows of that table, where it is a partition itself
    within: Option<(Arc<RelationData>, RowChecks)>,
    /// the partitioned tables that rows went through, with their partitions
    descs: Vec<(Oid, PartitionDesc)>,
    /// partitions that had rows, but for the one at work
    others: Vec<Target>,
    /// of a table with children
    children: Option<Children>,
}

/// What UPDATE and DELETE of a table do to its children.
#[derive(Debug)]
struct Children {
    /// where they have its columns
    maps: BTreeMap<Oid, Arc<RowMap>>,
    /// SET, over the table's columns
    set: Arc<[SetColumn]>,
}

impl Routing {
    /// `None`: the table is not partitioned.
    pub fn of(db: &Database, relation: &Arc<RelationData>) -> Option<Self> {
        let catalog = &db.cluster.catalog;
        catalog.partition_key(relation.oid)?;
        let is_within = catalog.partition_parent(relation.oid).is_some();
        let within = is_within.then(|| (relation.clone(), RowChecks::of(db, relation)));
        Some(Self { root: relation.oid, within, descs: Vec::new(), others: Vec::new(), children: None })
    }

    /// Of an UPDATE or DELETE whose scan reads a table with children; `None`: it does not.
    ///
    /// # Errors
    /// Triggers, which are not simulated there.
    pub(super) fn of_children(db: &mut Database, source: &Source) -> Outcome<Option<Self>> {
        let (scan, set) = match source {
            Source::Update(scan, set) => (scan, set.clone()),
            Source::Delete(scan) => (scan, Arc::default()),
            _ => return Ok(None),
        };
        let (root, Method::Append(append)) = (scan.plan.table, &scan.plan.method) else { return Ok(None) };
        if db.cluster.catalog.partition_key(root).is_some() {
            return Ok(None);
        }
        let (maps, tables) = (append.maps.clone(), scan.plan.parts().collect::<Vec<Oid>>());
        for table in tables {
            let class = db.cluster.catalog.class(table);
            let is_update = matches!(source, Source::Update(..));
            let is_called = |trigger: &Trigger| if is_update { trigger.update } else { trigger.delete };
            if class.is_some_and(|class| class.triggers.iter().any(is_called)) {
                let message = "UPDATE or DELETE of a table with children, of which one has triggers that are called for it, is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            if table != root {
                let child = db.cluster.pg.relation(table)?;
                db.cluster.check_replica_identity(&child);
            }
        }
        let children = Some(Children { maps, set });
        Ok(Some(Self { root, within: None, descs: Vec::new(), others: Vec::new(), children }))
    }

    /// Are these the children of a table, none of which is called a trigger of?
    pub(super) const fn is_of_children(&self) -> bool {
        self.children.is_some()
    }

    /// The partition is the table at work.
    ///
    /// # Errors
    /// One that is not simulated there.
    pub fn switch(&mut self, db: &Database, to: Oid, at: AtTable<'_>) -> Outcome<()> {
        if at.relation.oid == to {
            return Ok(());
        }
        if db.cluster.catalog.has_foreign_keys(to) {
            let message = "writing by way of its table to a partition or a child with foreign keys is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        let Target { relation, row_checks, generated, indexes } = self.take(db, to)?;
        self.others.push(Target {
            relation: core::mem::replace(at.relation, relation),
            row_checks: core::mem::replace(at.row_checks, row_checks),
            generated: core::mem::replace(at.generated, generated),
            indexes: core::mem::replace(at.indexes, indexes),
        });
        Ok(())
    }

    /// The partition, ready for its rows.
    fn take(&mut self, db: &Database, to: Oid) -> Outcome<Target> {
        match self.others.iter().position(|target| target.relation.oid == to) {
            Some(place) => Ok(self.others.swap_remove(place)),
            None => Target::open(db, to),
        }
    }
}

impl Target {
    fn open(db: &Database, oid: Oid) -> Outcome<Self> {
        let relation = db.cluster.pg.relation(oid)?;
        let row_checks = RowChecks::of(db, &relation).of_routed();
        let generated = Generated::of(db, &relation);
        let indexes = open_indexes(db, &relation)?;
        Ok(Self { relation, row_checks, generated, indexes })
    }
}

impl Routing {
    /// `ExecFindPartition`
    ///
    /// # Errors
    /// PostgreSQL's, where there is no such partition, or the table itself may not have the row.
    pub fn find(&mut self, db: &mut Database, row: &[Value]) -> Outcome<Oid> {
        if let Some((relation, checks)) = &self.within {
            checks.check_partition(db, relation, row)?;
        }
        let mut table = self.root;
        while db.cluster.catalog.partition_key(table).is_some() {
            if !self.descs.iter().any(|(known, _)| *known == table) {
                self.descs.extend(db.partition_desc(table).map(|desc| (table, desc)));
            }
            let Some((_, desc)) = self.descs.iter().find(|(known, _)| *known == table) else { break };
            let key = desc.key_of(row);
            table = match desc.find(&key) {
                Some(part) => part,
                None => return Err(no_partition(db, table, desc, &key).into()),
            };
        }
        Ok(table)
    }
}

fn no_partition(db: &mut Database, table: Oid, desc: &PartitionDesc, key: &[Value]) -> SqlError {
    let Ok(relation) = db.cluster.pg.relation(table) else { return SqlError::new("XX000", "a table is missing") };
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for ((column, ty), value) in desc.keys.iter().zip(key) {
        names.push(relation.desc.attributes()[usize::from(*column)].name.clone());
        values.push(value.described(ty.oid));
    }
    db.cluster.look_up([Lookup::SchemaName]);
    let (names, values) = (names.join(", "), values.join(", "));
    let error = SqlError::new("23514", format!("no partition of relation \"{}\" found for row", relation.name));
    error.with_detail(format!("Partition key of the failing row contains ({names}) = ({values})."))
}

impl Modify {
    /// The partition of a new row is the table at work.
    pub(super) fn route(&mut self, db: &mut Database, values: &[Value]) -> Outcome<()> {
        let Some(routing) = &mut self.routing else { return Ok(()) };
        let to = routing.find(db, values)?;
        self.work_on(db, to)
    }

    /// The partition that the scan is on is the table at work.
    pub(super) fn follow_scan(&mut self, db: &Database) -> Outcome<()> {
        if self.routing.is_none() {
            return Ok(());
        }
        let (Source::Update(scan, _) | Source::Delete(scan)) = &self.source else { return Ok(()) };
        let to = scan.relation.oid;
        self.work_on(db, to)
    }

    fn work_on(&mut self, db: &Database, to: Oid) -> Outcome<()> {
        let Self { routing, relation, row_checks, generated, indexes, .. } = self;
        let Some(routing) = routing.as_mut().filter(|_| relation.oid != to) else { return Ok(()) };
        routing.switch(db, to, AtTable { relation, row_checks, generated, indexes })?;
        self.work_on_child(db);
        Ok(())
    }

    /// What the statement says of the table's columns is said of the child's.
    fn work_on_child(&mut self, db: &Database) {
        let Some(Children { maps, set }) = self.routing.as_ref().and_then(|routing| routing.children.as_ref()) else {
            return;
        };
        let map = maps.get(&self.relation.oid);
        let of_child = |set: &SetColumn| match map {
            Some(map) => {
                let column = map.slot(set.column)?;
                Some(SetColumn { column, value: map.expr(set.value.clone()) })
            }
            None => Some(set.clone()),
        };
        let set: Arc<[SetColumn]> = set.iter().filter_map(of_child).collect();
        self.reused.calculations = set.iter().map(|set| Calculation::new(&set.value)).collect();
        let columns = columns_of(&set);
        self.set = columns.iter().copied().chain(self.generated.that_follow(&columns)).collect();
        self.returned.read_by(map.cloned());
        if let Source::Update(_, known) = &mut self.source {
            *known = set;
        }
        self.has_triggers = has_triggers(db, &self.relation);
        self.is_referenced = self.has_triggers && db.cluster.catalog.is_referenced(self.relation.oid);
    }

    /// `ExecPartitionCheck`, of a row that UPDATE has changed: has it to go to another partition?
    ///
    /// # Errors
    /// PostgreSQL's, where the statement names the partition itself.
    pub(super) fn leaves_partition(&mut self, db: &mut Database, values: &[Value]) -> Outcome<bool> {
        let Some(routing) = self.routing.as_mut().filter(|routing| routing.children.is_none()) else {
            self.row_checks.check_partition(db, &self.relation, values)?;
            return Ok(false);
        };
        Ok(match routing.find(db, values) {
            Ok(to) => to != self.relation.oid,
            Err(_) => true,
        })
    }

    /// `ExecCrossPartitionUpdate`
    pub(super) fn move_row(&mut self, db: &mut Database, row: Row, values: Vec<Value>) -> Outcome<()> {
        if values.iter().any(is_external) {
            let message = "moving a row with values in the TOAST table to another partition is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        let deleted = heap_delete_moved(&mut db.cluster.pg, &self.relation, row.tid, self.cid);
        match deleted {
            Ok(TmResult::Ok) => {
                self.returned.replaces(db, &self.relation, (&row.values, row.tid), false);
                self.insert_row(db, values)
            }
            Ok(TmResult::Updated { .. }) => {
                let message = "moving a row to another partition that another transaction has changed is not supported";
                Err(SqlError::new(NOT_SIMULATED, message).into())
            }
            Ok(tm) => self.skip(db, tm),
            Err(stop) => self.keep(AtWork::Update(row, Some(values)), stop),
        }
    }
}
