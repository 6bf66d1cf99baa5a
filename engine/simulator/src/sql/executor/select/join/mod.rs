//! Two tables that are joined as it was planned (`ExecNestLoop`, `ExecHashJoin`, `ExecMergeJoin`;
//! src/backend/executor/nodeNestloop.c and the files beside it).
//!
//! ```text
//!  outer side ─▶ row ┐
//!                    ├─ equal keys ─▶ columns of the first table, columns of the second one
//!  inner side ─▶ row ┘  by a loop, by a hash table, by walking along both
//! ```
//!
//! Which pages are read, and in which order rows come out, follows from the way.

mod hash;
mod merge;
mod nested;
mod side;

use self::hash::HashJoin;
use self::merge::MergeJoin;
use self::nested::NestedLoop;
use self::side::Side;
use crate::sql::executor::row::holds;
use crate::sql::executor::running::CountedJoin;
use crate::sql::plan::{JoinNode, JoinPlan, JoinSide};
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::Comparator;

/// Values of a row of one table.
type Values = Vec<Value>;

/// A join that runs.
#[derive(Debug, Clone)]
pub(super) struct Join {
    sides: Sides,
    way: Way,
    /// rows that came out
    rows: u64,
    /// rows that the condition above left out
    filtered: u64,
}

/// What each way to join needs.
#[derive(Debug, Clone)]
struct Sides {
    plan: Arc<JoinPlan>,
    outer: Side,
    inner: Side,
    /// how keys compare; `None`: each row is joined with each
    compare: Option<Comparator>,
}

#[derive(Debug, Clone)]
enum Way {
    Nested(NestedLoop),
    Hash(HashJoin),
    Merge(MergeJoin),
}

/// A pair of rows that comes out; one of them may be missing.
type Pair = (Option<Values>, Option<Values>);

impl Join {
    /// Before the first row. `second`: how many values a row of the second table has.
    pub fn new(plan: &Arc<JoinPlan>, second: usize, snapshot: &MvccSnapshot) -> Self {
        let way = match plan.node {
            JoinNode::Nested => Way::Nested(NestedLoop::default()),
            JoinNode::Hash => Way::Hash(HashJoin::default()),
            JoinNode::Merge => Way::Merge(MergeJoin::default()),
        };
        Self { sides: Sides::new(plan, second, snapshot), way, rows: 0, filtered: 0 }
    }

    /// The next row: the values of the first table, then those of the second one. Is there one?
    pub fn next(&mut self, db: &mut Database, values: &mut Values) -> Outcome<bool> {
        while self.next_pair(db, values)? {
            if holds(db, &self.sides.plan.filter, values)? {
                self.rows += 1;
                return Ok(true);
            }
            self.filtered += 1;
        }
        Ok(false)
    }

    fn next_pair(&mut self, db: &mut Database, values: &mut Values) -> Outcome<bool> {
        let sides = &mut self.sides;
        let pair = match &mut self.way {
            Way::Nested(join) => join.next(db, sides)?,
            Way::Hash(join) => join.next(db, sides)?,
            Way::Merge(join) => join.next(db, sides)?,
        };
        let Some((outer, inner)) = pair else { return Ok(false) };
        let both = [(outer, sides.outer.width), (inner, sides.inner.width)];
        values.clear();
        let is_turned = sides.plan.inputs[0].table == 1;
        let (first, second) = if is_turned { (1, 0) } else { (0, 1) };
        for (row, width) in [&both[first], &both[second]] {
            values.extend(row.iter().flatten().cloned());
            if row.is_none() {
                values.resize(values.len() + width, Value::Null);
            }
        }
        Ok(true)
    }

    /// Lets go of what the scans hold.
    pub fn end(&mut self, db: &mut Database) {
        self.sides.outer.end(db);
        self.sides.inner.end(db);
        if db.running.counted.counts_sort {
            let mut counted = CountedJoin { rows: self.rows, filtered: self.filtered, ..CountedJoin::default() };
            match &self.way {
                Way::Nested(join) => join.count(&mut counted, &self.sides),
                Way::Hash(join) => counted.hash = join.counted(),
                Way::Merge(_) => {}
            }
            counted.sides = [self.sides.outer.counted(db), self.sides.inner.counted(db)];
            db.running.counted.join = Some(Box::new(counted));
        }
    }
}

impl Sides {
    fn new(plan: &Arc<JoinPlan>, second: usize, snapshot: &MvccSnapshot) -> Self {
        let widths = [usize::from(plan.first), second];
        let side = |n: usize| Side::new(plan, n, widths[plan.inputs[n].table], snapshot);
        let compare = plan.key(0).and_then(|key| ffviz_format::datum::compare::comparator(key.ty.oid));
        let (mut outer, mut inner) = (side(0), side(1));
        inner.keeps_marks = plan.node == JoinNode::Merge && !plan.skips_marks();
        outer.keeps_marks = false;
        Self { plan: plan.clone(), outer, inner, compare }
    }

    /// Do rows of the outer side stay that have no partner?
    fn fills_outer(&self) -> bool {
        self.plan.kind == JoinSide::Outer
    }

    /// Do those of the inner side?
    fn fills_inner(&self) -> bool {
        self.plan.kind == JoinSide::Inner
    }

    /// How keys compare, neither of which is NULL.
    fn compare(&self, one: &Value, other: &Value) -> Ordering {
        self.compare.map_or(Ordering::Equal, |compare| compare(one, other))
    }

    fn are_equal(&self, one: &Value, other: &Value) -> bool {
        self.compare.is_none() || !one.is_null() && !other.is_null() && self.compare(one, other).is_eq()
    }
}
