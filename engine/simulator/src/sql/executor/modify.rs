//! INSERT, UPDATE and DELETE (`ExecModifyTable`, src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  rows of the query or scan ─▶ the heap ─▶ each index ─▶ next row …  ─▶ foreign keys, once all rows are done
//!                                  ▲ a row that has to wait is kept with how far it came
//! ```

use super::fast::reused::Reused;
use super::generated::Generated;
use super::index::{IndexUse, OpenIndex, open_indexes};
use super::merge::Merging;
use super::modify_joined::Joined;
use super::partition::Routing;
use super::returning::Returned;
use super::row::{Row, materialize, project};
use super::scan::RowScan;
use super::select::Query;
use super::slot::Slot;
use super::trigger::{Op, Triggers};
use crate::cluster::Lookup;
use crate::sql::commands::constraint::RowChecks;
use crate::sql::commands::foreign_key::{Event, fire};
use crate::sql::expr::{Calculation, Typed};
use crate::sql::plan::{ConflictPlan, DeletePlan, InsertPlan, InsertRows, SetColumn, UpdatePlan, ViewChecks};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, CommandId, Deferrable, MvccSnapshot, Outcome, RelationData, TableAm};
use crate::undo::not_modelled;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::{ItemPointer, Oid};

/// `COMPLETION_TAG_BUFSIZE` is enough for any tag; so many bytes are for those of a statement that changes rows.
const LONGEST_TAG: usize = 32;

/// A statement that changes rows and runs.
#[derive(Debug)]
pub(in crate::sql) struct Modify {
    pub(super) relation: Arc<RelationData>,
    pub(super) row_checks: RowChecks,
    pub(super) generated: Generated,
    /// of an UPDATE they are opened when a row is not HOT
    pub(super) indexes: Vec<OpenIndex>,
    pub(super) cid: CommandId,
    pub(super) source: Source,
    pub(super) on_conflict: Option<Arc<ConflictPlan>>,
    /// what foreign keys ask for, when all rows are done
    pub(in crate::sql) checks: VecDeque<Event>,
    /// is it a table with foreign keys, on either side, or with a deferrable key?
    pub(super) has_triggers: bool,
    /// how many events there were before the row at work
    pub(super) row_events: usize,
    /// `ri_oldTupleSlot`: the version that UPDATE has last replaced; `oc_Existing`: that ON CONFLICT DO UPDATE replaces
    pub(super) old: Slot,
    /// is the table one that foreign keys refer to?
    pub(super) is_referenced: bool,
    /// the version that is being replaced
    pub(super) replaced: Option<ItemPointer>,
    /// `ri_TrigOldSlot`: the version last replaced or deleted, which the triggers of foreign keys are given once the
    /// statement is at its end
    pub(super) of_triggers: Slot,
    /// triggers of the script's own
    pub(in crate::sql) triggers: Triggers,
    /// the row that is at work
    pub(super) at_work: Option<AtWork>,
    /// the columns that UPDATE or ON CONFLICT DO UPDATE sets
    pub(super) set: Arc<[u16]>,
    /// what a row leaves for the next one, so that it costs less
    pub(super) reused: Reused,
    /// RETURNING
    pub(in crate::sql) returned: Returned,
    /// what views ask of a row
    pub(super) view_checks: ViewChecks,
    /// of a partitioned table, or one with children: these, of which one is the table at work
    pub(super) routing: Option<Routing>,
    pub(super) done: u64,
}

/// What is done to which rows.
#[derive(Debug)]
pub(super) enum Source {
    Values(Arc<[Vec<Typed>]>, usize),
    /// with the table's columns over what comes out of it, unless that is them
    Query(Box<Query>, Option<Arc<[Typed]>>),
    Update(RowScan, Arc<[SetColumn]>),
    Delete(RowScan),
    /// the rows of a join
    Joined(Box<Joined>),
    /// MERGE
    Merge(Box<Merging>),
}

/// A row, and what is left to be done with it.
#[derive(Debug)]
pub(super) enum AtWork {
    Insert(Vec<Value>),
    /// with its new values, once they are computed: a wait that changes nothing of the row leaves them as they are
    Update(Row, Option<Vec<Value>>),
    Delete(Row),
    /// the heap has it; indexes from `next` on get an entry
    Index {
        values: Vec<Value>,
        tid: ItemPointer,
        next: usize,
        usage: IndexUse,
    },
    /// the same of a row that may still be taken back
    Speculate {
        values: Vec<Value>,
        tid: ItemPointer,
        next: usize,
    },
}

impl Source {
    /// Are these the rows of a query that are the same, whatever is done with those before?
    fn stands_alone(&self) -> bool {
        let Self::Query(query, columns) = self else { return false };
        query.stands_alone() && columns.iter().flat_map(|columns| columns.iter()).all(Typed::stands_alone)
    }
}

impl Modify {
    /// INSERT.
    pub fn insert(db: &mut Database, plan: InsertPlan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        let source = match plan.source {
            InsertRows::Values(rows) => Source::Values(rows, 0),
            InsertRows::Select(query, columns) => Source::Query(Box::new(Query::start(query, snapshot)), columns),
        };
        let mut modify = Self::start(db, plan.table, source)?;
        if plan.on_conflict.is_some() && modify.relation.am == TableAm::Undo {
            return Err(not_modelled("ON CONFLICT").into());
        }
        let has_triggers = !modify.triggers.is_empty();
        modify.reused.is_whole = modify.routing.is_none()
            && !has_triggers
            && matches!(&modify.source, Source::Query(_, None))
            && !modify.relation.desc.has_dropped()
            && modify.generated.is_empty();
        modify.returned = Returned::new(plan.returning);
        modify.view_checks = plan.checks;
        modify.reused.ahead.is_allowed =
            modify.routing.is_none() && plan.on_conflict.is_none() && !has_triggers && modify.source.stands_alone();
        let update = plan.on_conflict.as_ref().and_then(|plan| plan.update.as_ref());
        if update.is_some() {
            db.cluster.check_replica_identity(&modify.relation);
        }
        if plan.on_conflict.is_some() {
            let keys: Vec<Lookup> = modify.indexes.iter().flat_map(OpenIndex::equalities).collect();
            db.cluster.look_up(keys);
        }
        let set = update.map_or_else(|| modify.set.clone(), |(set, _)| columns_of(set));
        let set = set.iter().copied().chain(modify.generated.that_follow(&set)).collect();
        Ok(Self { on_conflict: plan.on_conflict, set, ..modify })
    }

    /// UPDATE.
    pub fn update(db: &mut Database, plan: UpdatePlan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        if let Some(joined) = plan.joined {
            let modify = Self::joined(db, plan.scan.table, &joined, true, snapshot)?;
            return Ok(Self { returned: Returned::new(plan.returning), ..modify });
        }
        let scan = RowScan::start(db, &plan.scan, snapshot)?;
        let modify = Self::start(db, plan.scan.table, Source::Update(scan, plan.set))?;
        Ok(Self { returned: Returned::new(plan.returning), view_checks: plan.checks, ..modify })
    }

    /// DELETE.
    pub fn delete(db: &mut Database, plan: &DeletePlan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        if let Some(joined) = &plan.joined {
            let modify = Self::joined(db, plan.scan.table, joined, false, snapshot)?;
            return Ok(Self { returned: Returned::new(plan.returning.clone()), ..modify });
        }
        let scan = RowScan::start(db, &plan.scan, snapshot)?;
        let modify = Self::start(db, plan.scan.table, Source::Delete(scan))?;
        Ok(Self { returned: Returned::new(plan.returning.clone()), ..modify })
    }

    pub(super) fn start(db: &mut Database, table: Oid, source: Source) -> Outcome<Self> {
        let (relation, cid) = (db.cluster.pg.relation(table)?, db.cluster.pg.current_command_id());
        let inserts = matches!(source, Source::Values(..) | Source::Query(..));
        if !inserts && !matches!(source, Source::Merge(_)) {
            db.cluster.check_replica_identity(&relation);
        }
        let indexes = if inserts { open_indexes(db, &relation)? } else { Vec::new() };
        let has_triggers = has_triggers(db, &relation);
        let is_referenced = has_triggers && db.cluster.catalog.is_referenced(table);
        let set: &[SetColumn] = if let Source::Update(_, set) = &source { set } else { &[] };
        let calculations = set.iter().map(|set| Calculation::new(&set.value)).collect();
        let set = columns_of(set);
        let (row_checks, generated) = (RowChecks::of(db, &relation), Generated::of(db, &relation));
        let set = set.iter().copied().chain(generated.that_follow(&set)).collect();
        let routing = match Routing::of(db, &relation) {
            Some(routing) => Some(routing),
            None => Routing::of_children(db, &source)?,
        };
        let triggers = Triggers::of(db, &relation);
        let modify = Self {
            relation,
            row_checks,
            generated,
            indexes,
            cid,
            source,
            on_conflict: None,
            checks: VecDeque::new(),
            has_triggers,
            row_events: 0,
            old: Slot::default(),
            is_referenced,
            replaced: None,
            of_triggers: Slot::default(),
            triggers,
            at_work: None,
            set,
            reused: Reused { calculations, ..Reused::default() },
            returned: Returned::default(),
            view_checks: ViewChecks::default(),
            routing,
            done: 0,
        };
        if !modify.triggers.is_empty() {
            modify.check_triggers()?;
        }
        Ok(modify)
    }

    /// An UPDATE or DELETE that is at its end begins anew.
    pub fn rescan(&mut self, db: &mut Database, snapshot: MvccSnapshot) -> Outcome<()> {
        let (Source::Update(scan, _) | Source::Delete(scan)) = &mut self.source else { return Ok(()) };
        scan.rescan(db, snapshot)?;
        if let Some(routing) = &self.routing {
            self.relation = db.cluster.pg.relation(routing.root)?;
            self.routing = match Routing::of(db, &self.relation) {
                Some(routing) => Some(routing),
                None => Routing::of_children(db, &self.source)?,
            };
        }
        db.cluster.pg.reopen(&mut self.relation)?;
        self.row_checks = RowChecks::of(db, &self.relation);
        self.generated = Generated::of(db, &self.relation);
        self.indexes.clear();
        self.cid = db.cluster.pg.current_command_id();
        self.has_triggers = has_triggers(db, &self.relation);
        self.is_referenced = self.has_triggers && db.cluster.catalog.is_referenced(self.relation.oid);
        self.triggers = Triggers::of(db, &self.relation);
        if !self.triggers.is_empty() {
            self.check_triggers()?;
        }
        self.done = 0;
        Ok(())
    }

    /// Goes on until all rows are done. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        self.before_statement(db)?;
        self.change_rows(db)?;
        fire(db, &mut self.checks)?;
        self.after_statement(db)?;
        self.returned.send(db)?;
        Ok(self.tag())
    }

    /// Goes on until all rows are done, and leaves what foreign keys ask for.
    pub fn change_rows(&mut self, db: &mut Database) -> Outcome<()> {
        // while it waited, others may have changed the indexes
        self.indexes.iter_mut().for_each(OpenIndex::forget_place);
        loop {
            db.cluster.pg.interrupt.check()?;
            if self.at_work.is_none() {
                if !self.next(db)? {
                    break;
                }
            } else if let Some(row) = self.at_work.take() {
                self.work(db, row)?;
            }
        }
        Ok(())
    }

    /// The next row that RETURNING gives, for which rows are changed until there is one.
    pub fn next_returned(&mut self, db: &mut Database) -> Outcome<Option<Vec<Value>>> {
        loop {
            db.cluster.pg.interrupt.check()?;
            if let Some(row) = self.returned.next_piped() {
                return Ok(Some(row));
            }
            match self.at_work.take() {
                Some(row) => self.work(db, row)?,
                None if self.next(db)? => {}
                // what was done last may have returned one
                None => return Ok(self.returned.next_piped()),
            }
        }
    }

    pub(super) fn tag(&self) -> String {
        let name = match &self.source {
            Source::Values(..) | Source::Query(..) => "INSERT 0",
            Source::Joined(rows) if rows.updates => "UPDATE",
            Source::Update(..) => "UPDATE",
            Source::Delete(_) | Source::Joined(_) => "DELETE",
            Source::Merge(_) => "MERGE",
        };
        // by hand: format! takes as long as a record of the WAL
        let mut tag = String::with_capacity(LONGEST_TAG);
        tag.push_str(name);
        tag.push(' ');
        let mut unit = 1;
        while self.done / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            tag.push(char::from(b'0' + (self.done / unit % 10) as u8));
            unit /= 10;
        }
        tag
    }

    /// The next row, and what is to be done with it. Is there one?
    fn next(&mut self, db: &mut Database) -> Outcome<bool> {
        match &mut self.source {
            Source::Values(rows, done) => {
                let Some(row) = rows.get(*done) else { return Ok(false) };
                let mut values = core::mem::take(&mut self.reused.values);
                *done += 1;
                project(db, row, (&[], &[]), &mut values)?;
                self.insert_row(db, values)?;
            }
            Source::Query(..) => {
                let Some(mut values) = self.next_row(db)? else { return Ok(false) };
                if let Source::Query(query, _) = &self.source
                    && query.leaves_junk_out()
                {
                    materialize(&self.relation, &mut values);
                }
                self.insert_row(db, values)?;
            }
            Source::Joined(..) => return self.next_joined(db),
            Source::Merge(_) => return self.next_merged(db),
            Source::Update(scan, _) => {
                let Some(row) = scan.next(db)? else { return Ok(false) };
                self.follow_scan(db)?;
                self.update_row(db, row, None)?;
            }
            Source::Delete(scan) => {
                let Some(row) = scan.next(db)? else { return Ok(false) };
                self.follow_scan(db)?;
                self.delete_row(db, row)?;
            }
        }
        Ok(true)
    }

    /// The values of a row that is done: the next one takes their memory, unless it has a part in them.
    pub(super) fn take_back(&mut self, mut values: Vec<Value>) {
        let is_changed = self.triggers.has(Op::Insert, true, true);
        let is_as_read = self.on_conflict.is_none() && !is_changed && !self.relation.desc.keeps_headers();
        match &mut self.source {
            Source::Query(query, None) => {
                if !is_as_read {
                    values.clear();
                }
                if let Some(values) = self.reused.ahead.take_back(values) {
                    query.take_back(values);
                }
            }
            Source::Update(..) => self.reused.values = values,
            _ => {
                values.clear();
                self.reused.values = values;
            }
        }
    }

    /// A piece of the work on a row. Where it has to wait, the row stays at work.
    fn work(&mut self, db: &mut Database, row: AtWork) -> Outcome<()> {
        match row {
            AtWork::Insert(values) => self.insert_seen(db, values),
            AtWork::Update(row, values) => self.update_row(db, row, values),
            AtWork::Delete(row) => self.delete_row(db, row),
            AtWork::Index { values, tid, next, usage } => self.index_row(db, values, tid, next, usage),
            AtWork::Speculate { values, tid, next } => self.speculate(db, values, tid, next),
        }
    }

    /// `ExecARUpdateTriggers`: tables with foreign keys, on either side, have triggers that are given the old version.
    pub(super) fn after_update(&mut self, db: &mut Database) {
        if let Some(tid) =
            self.replaced.take().filter(|_| self.has_triggers || self.triggers.has(Op::Update, false, true))
        {
            self.of_triggers.store(&mut db.cluster.pg, Buffer::main(self.relation.file, tid.block));
        }
    }

    /// `ExecARDeleteTriggers`: so has a table that is referred to.
    pub(super) fn after_delete(&mut self, db: &mut Database, tid: ItemPointer) {
        if self.is_referenced || self.triggers.has(Op::Delete, false, true) {
            self.of_triggers.store(&mut db.cluster.pg, Buffer::main(self.relation.file, tid.block));
        }
    }

    /// Lets go of what its scan holds.
    pub fn end(&mut self, db: &mut Database) {
        self.old.clear(&mut db.cluster.pg);
        self.of_triggers.clear(&mut db.cluster.pg);
        match &mut self.source {
            Source::Values(..) => {}
            Source::Query(query, _) => query.end(db),
            Source::Joined(rows) => rows.query.end(db),
            Source::Merge(merging) => merging.end(db),
            Source::Update(scan, _) | Source::Delete(scan) => scan.end(db),
        }
    }
}

/// `ri_TrigDesc`: has the table triggers that new versions of rows ask for?
pub(in crate::sql) fn has_triggers(db: &Database, table: &RelationData) -> bool {
    let is_deferrable = |index: &Oid| {
        let form = db.cluster.pg.relations.get(index).and_then(|index| index.index.as_ref());
        form.is_some_and(|form| form.deferrable != Deferrable::No)
    };
    db.cluster.catalog.has_foreign_keys(table.oid) || table.indexes.iter().any(is_deferrable)
}

/// Numbers of the columns.
pub(super) fn columns_of(set: &[SetColumn]) -> Arc<[u16]> {
    set.iter().map(|set| set.column + 1).collect()
}
