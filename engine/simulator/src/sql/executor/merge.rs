//! MERGE (`ExecMerge`, src/backend/executor/nodeModifyTable.c; nodeNestloop.c, nodeHashjoin.c).
//!
//! ```text
//!  rows of source and table meet ─▶ MATCHED, NOT MATCHED BY TARGET, BY SOURCE
//!                                ─▶ the first WHEN that holds: UPDATE, DELETE, INSERT
//! ```

use super::hash::hash_of;
use super::modify::{Modify, Source};
use super::returning::Returned;
use super::row::{Row, eval, forget_dropped, holds, project};
use super::scan::RowScan;
use super::select::Query;
use crate::sql::ast::MergeMatch;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::Typed;
use crate::sql::plan::{MergePlan, MergeWay, PlannedAction};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MvccSnapshot, Outcome, TableAm};
use crate::undo::not_modelled;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;
use alloc::vec::{IntoIter, Vec};
use ffviz_format::datum::{SqlError, Value};

/// A row of the table, and one of the source; one of them may be missing.
type Pair = (Option<Row>, Option<Vec<Value>>);

/// A join that runs.
#[derive(Debug)]
pub(super) struct Merging {
    plan: Arc<MergePlan>,
    snapshot: MvccSnapshot,
    query: Box<Query>,
    scan: Option<RowScan>,
    /// the side that was read first
    table: Option<Inner>,
    /// rows that have met, before the next one of the outer side is read
    met: VecDeque<Pair>,
    /// of a nested loop: the source's row, and whether it has met one
    row: Option<(Vec<Value>, bool)>,
    /// rows of the inner side that have met none
    left: Option<IntoIter<Pair>>,
}

/// Rows of the inner side, by their keys.
#[derive(Debug, Default)]
struct Inner {
    rows: Vec<Pair>,
    by_key: BTreeMap<Vec<u8>, Vec<usize>>,
    keys: Vec<Vec<Value>>,
    met: Vec<bool>,
}

impl Modify {
    /// MERGE, before the first row.
    pub(super) fn merge(db: &mut Database, plan: &Arc<MergePlan>, snapshot: &MvccSnapshot) -> Outcome<Self> {
        let merging = Merging {
            plan: plan.clone(),
            snapshot: snapshot.clone(),
            query: Box::new(Query::start(plan.source.clone(), snapshot)),
            scan: None,
            table: None,
            met: VecDeque::new(),
            row: None,
            left: None,
        };
        let mut modify = Self::start(db, plan.table, Source::Merge(Box::new(merging)))?;
        if modify.relation.am == TableAm::Undo {
            return Err(not_modelled("MERGE").into());
        }
        let replaces = |action: &PlannedAction| matches!(action, PlannedAction::Update(_) | PlannedAction::Delete);
        if plan.whens.iter().any(|when| replaces(&when.action)) {
            db.cluster.check_replica_identity(&modify.relation);
        }
        let mut set = Vec::new();
        for when in plan.whens.iter() {
            let PlannedAction::Update(columns) = &when.action else { continue };
            set.extend(columns.iter().map(|set| set.column + 1));
        }
        set.sort_unstable();
        set.dedup();
        modify.set = set.iter().copied().chain(modify.generated.that_follow(&set)).collect();
        modify.returned = Returned::new(plan.returning.clone());
        Ok(modify)
    }

    /// What the next pair asks for is done. Is there one?
    pub(super) fn next_merged(&mut self, db: &mut Database) -> Outcome<bool> {
        let Source::Merge(merging) = &mut self.source else { return Ok(false) };
        let Some((target, source)) = merging.next(db)? else { return Ok(false) };
        let plan = merging.plan.clone();
        let kind = match (&target, &source) {
            (Some(_), Some(_)) => MergeMatch::Matched,
            (None, _) => MergeMatch::ByTarget,
            (Some(_), None) => MergeMatch::BySource,
        };
        if let Some(row) = &target {
            self.old.store(&mut db.cluster.pg, Buffer::main(self.relation.file, row.tid.block));
        }
        let values = combined(&plan, target.as_ref(), source.as_deref());
        for when in plan.whens.iter().filter(|when| when.kind == kind) {
            if !holds(db, &when.filter, &values)? {
                continue;
            }
            self.note_action(&plan, &when.action, &values);
            return self.act(db, &when.action, target, &values).map(|()| true);
        }
        Ok(true)
    }

    fn note_action(&mut self, plan: &MergePlan, action: &PlannedAction, values: &[Value]) {
        if plan.returning.is_none() {
            return;
        }
        let name = match action {
            PlannedAction::Update(_) => "UPDATE",
            PlannedAction::Delete => "DELETE",
            PlannedAction::Insert(_) | PlannedAction::Nothing => "INSERT",
        };
        let source = values[plan.width..].iter().cloned();
        self.returned.beside(plan.width, source.chain([Value::text(name)]).collect());
    }

    fn act(&mut self, db: &mut Database, action: &PlannedAction, target: Option<Row>, values: &[Value]) -> Outcome<()> {
        match (action, target) {
            (PlannedAction::Insert(row), _) => {
                let mut new = Vec::new();
                project(db, row.iter(), (values, &[]), &mut new)?;
                self.insert_row(db, new)
            }
            (PlannedAction::Delete, Some(row)) => self.delete_row(db, row),
            (PlannedAction::Update(set), Some(row)) => {
                let mut new = values[..self.relation.desc.attributes().len()].to_vec();
                for set in set.iter() {
                    new[usize::from(set.column)] = eval(db, &set.value, values, &[])?;
                }
                forget_dropped(&self.relation, &mut new);
                self.generated.compute(db, &mut new, Some(&self.set))?;
                self.row_checks.check(db, &self.relation, &new)?;
                self.update_row(db, row, Some(new))
            }
            (PlannedAction::Nothing | PlannedAction::Delete | PlannedAction::Update(_), _) => Ok(()),
        }
    }
}

/// The values of a pair: the table's columns and system columns, then the source's.
fn combined(plan: &MergePlan, target: Option<&Row>, source: Option<&[Value]>) -> Vec<Value> {
    let mut values = target.map_or_else(Vec::new, |row| row.values.clone());
    values.resize(plan.width, Value::Null);
    values.extend(source.into_iter().flatten().cloned());
    values.resize(plan.width + plan.source.targets.len(), Value::Null);
    values
}

impl Merging {
    fn next(&mut self, db: &mut Database) -> Outcome<Option<Pair>> {
        let plan = self.plan.clone();
        loop {
            db.cluster.pg.interrupt.check()?;
            if let Some(pair) = self.met.pop_front() {
                return Ok(Some(pair));
            }
            if let Some(left) = &mut self.left {
                return Ok(left.next());
            }
            match &plan.join.way {
                MergeWay::Nested(_) => {
                    if let Some(pair) = self.nested(db)? {
                        return Ok(Some(pair));
                    }
                    if self.row.is_none() {
                        self.left = Some(Vec::new().into_iter());
                    }
                }
                MergeWay::Whole(_) | MergeWay::HashTarget(_) => self.next_of_source(db)?,
                MergeWay::HashSource(_, buckets) => self.next_of_target(db, *buckets)?,
            }
        }
    }

    fn next_source(&mut self, db: &mut Database) -> Outcome<Option<Vec<Value>>> {
        Ok(self.query.next(db)?.map(core::mem::take))
    }

    /// `ExecNestLoop`; a row of the source that has met none comes alone.
    fn nested(&mut self, db: &mut Database) -> Outcome<Option<Pair>> {
        let plan = self.plan.clone();
        let MergeWay::Nested(inner) = &plan.join.way else { return Ok(None) };
        loop {
            if self.row.is_none() {
                let Some(source) = self.next_source(db)? else { return Ok(None) };
                self.row = Some((source, false));
                let outer = combined(&plan, None, self.row.as_ref().map(|(source, _)| &source[..]));
                self.scan = Some(self.started(db, inner, outer)?);
            }
            let Some((source, has_met)) = &mut self.row else { return Ok(None) };
            db.running.outer.push(combined(&plan, None, Some(source)));
            let found = self.scan.as_mut().map_or(Ok(None), |scan| scan.next(db));
            db.running.outer.pop();
            let source = source.clone();
            match found? {
                Some(row) => {
                    *has_met = true;
                    if plan.join.unique {
                        self.row = None;
                    }
                    return Ok(Some((Some(row), Some(source))));
                }
                None => {
                    let is_alone = !*has_met && plan.join.keeps_source;
                    self.row = None;
                    if is_alone {
                        self.row = Some((source.clone(), true));
                        return Ok(Some((None, Some(source))));
                    }
                }
            }
        }
    }

    /// The inner scan begins, or begins anew.
    fn started(
        &mut self,
        db: &mut Database,
        inner: &Arc<crate::sql::plan::Scan>,
        outer: Vec<Value>,
    ) -> Outcome<RowScan> {
        db.running.outer.push(outer);
        let scan = match self.scan.take() {
            Some(mut scan) => scan.rescan(db, self.snapshot.clone()).map(|()| scan),
            None => RowScan::start(db, inner, &self.snapshot),
        };
        db.running.outer.pop();
        scan
    }

    /// `ExecHashJoin`, the table in the hash table: partners of the source's next row. The first one is read before the
    /// table is.
    fn next_of_source(&mut self, db: &mut Database) -> Outcome<()> {
        let plan = self.plan.clone();
        let is_hash = matches!(plan.join.way, MergeWay::HashTarget(_));
        let source = match self.next_source(db)? {
            Some(source) => source,
            None => {
                let left = match self.table.take() {
                    Some(table) if plan.join.keeps_target => {
                        table.left(crate::sql::plan::hash_buckets(plan.join.rows))?
                    }
                    Some(_) => Vec::new(),
                    None if plan.join.keeps_target => {
                        self.read_target(db)?;
                        self.table.take().unwrap_or_default().left(crate::sql::plan::hash_buckets(plan.join.rows))?
                    }
                    None => Vec::new(),
                };
                self.left = Some(left.into_iter());
                return Ok(());
            }
        };
        if self.table.is_none() {
            self.read_target(db)?;
        }
        let key = keys(db, &plan, &combined(&plan, None, Some(&source)), false)?;
        let Some(table) = &mut self.table else { return Ok(()) };
        let mut found = table.candidates(&key);
        if !is_hash {
            found.reverse();
        }
        let mut has_met = false;
        for at in found {
            let Some(row) = table.rows[at].0.clone() else { continue };
            if holds(db, &plan.join.on, &combined(&plan, Some(&row), Some(&source)))? {
                (has_met, table.met[at]) = (true, true);
                self.met.push_back((Some(row), Some(source.clone())));
                if plan.join.unique {
                    break;
                }
            }
        }
        if !has_met && plan.join.keeps_source {
            self.met.push_back((None, Some(source)));
        }
        Ok(())
    }

    fn read_target(&mut self, db: &mut Database) -> Outcome<()> {
        let plan = self.plan.clone();
        let (MergeWay::Whole(scan) | MergeWay::HashTarget(scan)) = &plan.join.way else { return Ok(()) };
        let mut table = Inner::default();
        let mut scan = RowScan::start(db, scan, &self.snapshot)?;
        while let Some(row) = scan.next(db)? {
            let key = keys(db, &plan, &combined(&plan, Some(&row), None), true)?;
            table.add((Some(row), None), key);
        }
        scan.end(db);
        self.table = Some(table);
        Ok(())
    }

    /// The same the other way round: the source is in the hash table.
    fn next_of_target(&mut self, db: &mut Database, buckets: u32) -> Outcome<()> {
        let plan = self.plan.clone();
        let MergeWay::HashSource(scan, _) = &plan.join.way else { return Ok(()) };
        if self.table.is_none() {
            let mut table = Inner::default();
            while let Some(source) = self.next_source(db)? {
                let key = keys(db, &plan, &combined(&plan, None, Some(&source)), false)?;
                table.add((None, Some(source)), key);
            }
            self.table = Some(table);
            self.scan = Some(RowScan::start(db, scan, &self.snapshot)?);
        }
        let (Some(table), Some(scan)) = (&mut self.table, &mut self.scan) else { return Ok(()) };
        if table.rows.is_empty() && !plan.join.keeps_target {
            self.left = Some(Vec::new().into_iter());
            return Ok(());
        }
        let Some(row) = scan.next(db)? else {
            let left = if plan.join.keeps_source { core::mem::take(table).left(buckets)? } else { Vec::new() };
            self.left = Some(left.into_iter());
            return Ok(());
        };
        let key = keys(db, &plan, &combined(&plan, Some(&row), None), true)?;
        let mut has_met = false;
        for at in table.candidates(&key) {
            let Some(source) = table.rows[at].1.clone() else { continue };
            if holds(db, &plan.join.on, &combined(&plan, Some(&row), Some(&source)))? {
                (has_met, table.met[at]) = (true, true);
                self.met.push_back((Some(row.clone()), Some(source)));
            }
        }
        if !has_met && plan.join.keeps_target {
            self.met.push_back((Some(row), None));
        }
        Ok(())
    }

    /// Lets go of what its scans hold.
    pub fn end(&mut self, db: &mut Database) {
        self.query.end(db);
        if let Some(scan) = &mut self.scan {
            scan.end(db);
        }
    }
}

/// The keys of a row, of the table or of the source.
fn keys(db: &mut Database, plan: &MergePlan, values: &[Value], of_table: bool) -> Outcome<Vec<Value>> {
    let side = |pair: &(Typed, Typed)| if of_table { pair.0.clone() } else { pair.1.clone() };
    plan.join.keys.iter().map(|pair| eval(db, &side(pair), values, &[])).collect()
}

/// What equal keys have in common; `None`: one of them is NULL.
fn bytes_of(keys: &[Value]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for key in keys {
        match (key.integer(), key.plain_bytes()) {
            _ if key.is_null() => return None,
            (Some(number), _) => bytes.extend(number.to_le_bytes()),
            (None, Some(plain)) => bytes.extend([&(plain.len() as u32).to_le_bytes()[..], plain].concat()),
            (None, None) => key.store(&mut bytes),
        }
    }
    Some(bytes)
}

impl Inner {
    fn add(&mut self, row: Pair, keys: Vec<Value>) {
        if let Some(bytes) = bytes_of(&keys) {
            self.by_key.entry(bytes).or_default().push(self.rows.len());
        }
        self.rows.push(row);
        self.keys.push(keys);
        self.met.push(false);
    }

    /// Rows of that key, the last one first, as they hang in a bucket.
    fn candidates(&self, keys: &[Value]) -> Vec<usize> {
        let found = bytes_of(keys).and_then(|bytes| self.by_key.get(&bytes));
        found.into_iter().flatten().rev().copied().collect()
    }

    /// `ExecScanHashTableForUnmatched`: those that have met none, bucket by bucket.
    fn left(self, buckets: u32) -> Outcome<Vec<Pair>> {
        let buckets = buckets.max((self.rows.len() as u32).next_power_of_two());
        let alone = self.met.iter().enumerate().filter(|(_, met)| !**met).map(|(at, _)| at);
        let mut order: Vec<(Option<u32>, usize)> = alone.map(|at| (hash_of(&self.keys[at]), at)).collect();
        if order.len() > 1 && order.iter().any(|(hash, _)| hash.is_none()) {
            let message = "MERGE by a hash join over a key of this type is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        order.sort_by_key(|(hash, at)| (hash.map(|hash| hash & (buckets - 1)), core::cmp::Reverse(*at)));
        let mut rows: Vec<Option<Pair>> = self.rows.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|(_, at)| rows[at].take()).collect())
    }
}
