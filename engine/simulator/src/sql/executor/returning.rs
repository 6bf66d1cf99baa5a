//! RETURNING (`ExecProcessReturning`, src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  row changed ─▶ its expressions ─▶ kept (`FillPortalStore`) …
//!  all rows done, foreign keys checked ─▶ values from the TOAST table are read
//! ```

use super::row::{compute, fetch_value, is_external, push_system_values};
use crate::sql::expr::{Calculation, SYSTEM};
use crate::sql::plan::{Returning, RowMap};
use crate::sql::tcop::Database;
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::storage::{Outcome, RelationData};
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::ItemPointer;
use ffviz_story::timeline::ResultSet;

/// What is given of the rows that a statement changes.
#[derive(Debug, Default)]
pub(in crate::sql) struct Returned {
    plan: Option<Arc<Returning>>,
    /// how its targets are calculated
    calculations: Vec<Option<Calculation>>,
    /// values that still have to be read
    external: Vec<External>,
    /// keeps the rows, where somebody looks at them
    dest: Option<DestReceiver>,
    /// the row that is computed
    row: Vec<Value>,
    /// of MERGE: where the source's values begin, and they
    beside: (usize, Vec<Value>),
    /// `old`: the row that was replaced, with its system columns
    old: Option<Vec<Value>>,
    /// where the table at work has the columns that its targets are over
    map: Option<Arc<RowMap>>,
    /// is the row taken away, so that there is no `new`?
    is_deleted: bool,
    /// rows for another statement to read
    pipe: Option<VecDeque<Vec<Value>>>,
}

/// A value in the TOAST table.
#[derive(Debug)]
struct External {
    kind: Kind,
    value: Value,
    /// row and column, where the row is kept
    place: Option<(usize, usize)>,
}

impl Returned {
    /// Of no row yet.
    pub fn new(plan: Option<Arc<Returning>>) -> Self {
        let calculations = plan.iter().flat_map(|plan| &plan.targets).map(Calculation::new).collect();
        Self { plan, calculations, ..Self::default() }
    }

    /// The rows are to be kept.
    pub fn keep(&mut self, kept: Kept) {
        let dest = |plan: &Returning| {
            let types = plan.targets.iter().map(|target| target.ty);
            DestReceiver::new(kept, plan.names.iter().cloned().zip(types))
        };
        self.dest = self.plan.as_deref().map(dest);
    }

    /// The rows to come are those of a child, which has the columns there.
    pub fn read_by(&mut self, map: Option<Arc<RowMap>>) {
        self.map = map;
    }

    /// Rows are handed on.
    pub fn pipe(&mut self) {
        self.pipe = Some(VecDeque::new());
    }

    /// One of them.
    pub fn next_piped(&mut self) -> Option<Vec<Value>> {
        self.pipe.as_mut()?.pop_front()
    }

    /// The row that is replaced, or taken away.
    #[inline]
    pub fn replaces(
        &mut self,
        db: &Database,
        relation: &RelationData,
        (old, tid): (&[Value], ItemPointer),
        is_deleted: bool,
    ) {
        if self.plan.as_ref().is_some_and(|plan| plan.images.is_some()) {
            (self.old, self.is_deleted) = (Some(self.image_of(db, relation, old, tid)), is_deleted);
        }
    }

    /// A row with its system columns, as `old` and `new` have it.
    fn image_of(&self, db: &Database, relation: &RelationData, values: &[Value], tid: ItemPointer) -> Vec<Value> {
        let mut image = values[..relation.desc.attributes().len()].to_vec();
        push_system_values(db, relation, tid, &mut image);
        self.map.as_ref().map_or_else(|| image.clone(), |map| map.row(&image))
    }

    /// What stands behind the columns of the next row, from that place on.
    pub fn beside(&mut self, place: usize, values: Vec<Value>) {
        self.beside = (place, values);
    }

    /// Of a row that was changed and lies there.
    #[inline]
    pub fn take(
        &mut self,
        db: &mut Database,
        relation: &RelationData,
        values: &[Value],
        tid: ItemPointer,
    ) -> Outcome<()> {
        match &self.plan {
            None => Ok(()),
            Some(plan) => self.process(db, &plan.clone(), relation, values, tid),
        }
    }

    /// `ExecProcessReturning`
    fn process(
        &mut self,
        db: &mut Database,
        plan: &Returning,
        relation: &RelationData,
        values: &[Value],
        tid: ItemPointer,
    ) -> Outcome<()> {
        let mut row = values[..relation.desc.attributes().len()].to_vec();
        if plan.system {
            push_system_values(db, relation, tid, &mut row);
        }
        if let Some(map) = &self.map {
            row = map.row(&row);
        }
        let (place, beside) = &self.beside;
        if !beside.is_empty() {
            row.resize(*place, Value::Null);
            row.extend(beside.iter().cloned());
        }
        if let Some(first) = plan.images {
            let natts = self.map.as_ref().map_or(relation.desc.attributes().len(), |map| map.natts());
            let width = natts + SYSTEM.len();
            row.resize(first.into(), Value::Null);
            let (old, is_deleted) = (self.old.take(), core::mem::take(&mut self.is_deleted));
            let new = (!is_deleted).then(|| self.image_of(db, relation, values, tid));
            for image in [old, new] {
                let end = row.len() + width;
                row.extend(image.into_iter().flatten());
                row.resize(end, Value::Null);
            }
        }
        self.row.clear();
        let prepared = plan.targets.iter().zip(self.calculations.iter().map(Option::as_ref));
        compute(db, prepared, (&row, &[]), |value| self.row.push(value))?;
        if let Some(pipe) = &mut self.pipe {
            pipe.push_back(self.row.clone());
        }
        let number = self.dest.as_mut().map(|dest| dest.receive(&self.row)).transpose()?.flatten();
        for (column, (value, target)) in self.row.drain(..).zip(&plan.targets).enumerate() {
            if is_external(&value) {
                let place = number.map(|number| (number, column));
                self.external.push(External { kind: target.ty.kind(), value, place });
            }
        }
        Ok(())
    }

    /// All rows are on their way to the client.
    pub fn send(&mut self, db: &mut Database) -> Outcome<()> {
        for External { kind, mut value, place } in self.external.drain(..) {
            fetch_value(db, kind, &mut value)?;
            if let (Some(dest), Some((row, column))) = (&mut self.dest, place) {
                dest.set(row, column, &value)?;
            }
        }
        Ok(())
    }

    /// The rows that were kept.
    pub fn finish(&mut self) -> Option<ResultSet> {
        self.dest.take().map(DestReceiver::finish)
    }
}
