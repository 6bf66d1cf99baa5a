//! UNION, INTERSECT, EXCEPT (`ExecSetOp`, src/backend/executor/nodeSetOp.c; UNION is an Append below nodeAgg.c or
//! nodeUnique.c).
//!
//! ```text
//!  rows of the first side ─▶ entries, each with how often it came ◀─ rows of the second side
//!  entries in the order of the plan ─▶ each as often as the operation says
//! ```

use super::group_order;
use super::source::{Rows, query_rows, row_key};
use crate::sql::ast::SetKind;
use crate::sql::executor::row::project;
use crate::sql::plan::SetPlan;
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// A row, and how often it came from each side.
struct Entry {
    row: Vec<Value>,
    counts: [usize; 2],
}

pub(super) fn set_rows(db: &mut Database, plan: &SetPlan, snapshot: &MvccSnapshot) -> Outcome<Arc<Rows>> {
    let sides = [(&plan.left, &plan.casts[0]), (&plan.right, &plan.casts[1])];
    let mut both: [Rows; 2] = [Vec::new(), Vec::new()];
    for ((query, casts), rows) in sides.into_iter().zip(&mut both) {
        for row in query_rows(db, query, snapshot, None)?.iter() {
            let mut values = Vec::new();
            project(db, casts, (row, &[]), &mut values)?;
            rows.push(values);
        }
    }
    let [left, right] = both;
    let (first, second) = match plan.kind {
        SetKind::Union => (left.into_iter().chain(right).collect(), Vec::new()),
        _ if plan.is_turned => (right, left),
        _ => (left, right),
    };
    if plan.kind == SetKind::Union && plan.all {
        return Ok(Arc::new(first));
    }
    let (entries, goes_on) = entries(first, &second);
    let entries = match plan.finding {
        Some(finding) => group_order::of_set(db, finding.order, &plan.casts[0], entries, |entry| &entry.row, goes_on)?,
        None => entries,
    };
    let times = |entry: &Entry| entry.times(plan.kind, plan.all);
    Ok(Arc::new(entries.into_iter().flat_map(|entry| core::iter::repeat_n(entry.row.clone(), times(&entry))).collect()))
}

/// One for each row of the first side that is equal to none before it; was the last one equal to one?
fn entries(first: Rows, second: &Rows) -> (Vec<Entry>, bool) {
    let (mut entries, mut places): (Vec<Entry>, BTreeMap<_, usize>) = (Vec::new(), BTreeMap::new());
    let mut goes_on = false;
    for row in first {
        let place = *places.entry(row_key(&row)).or_insert(entries.len());
        goes_on = place < entries.len();
        if !goes_on {
            entries.push(Entry { row, counts: [0, 0] });
        }
        entries[place].counts[0] += 1;
    }
    for row in second {
        if let Some(place) = places.get(&row_key(row)) {
            entries[*place].counts[1] += 1;
        }
    }
    (entries, goes_on)
}

impl Entry {
    /// `set_output_count`
    fn times(&self, kind: SetKind, all: bool) -> usize {
        let [first, second] = self.counts;
        match (kind, all) {
            (SetKind::Union, _) => 1,
            (SetKind::Intersect, true) => first.min(second),
            (SetKind::Intersect, false) => usize::from(second > 0),
            (SetKind::Except, true) => first.saturating_sub(second),
            (SetKind::Except, false) => usize::from(second == 0),
        }
    }
}
