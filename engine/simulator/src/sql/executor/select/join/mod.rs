//! Tables that are joined as it was planned (`ExecNestLoop`, `ExecHashJoin`, `ExecMergeJoin`;
//! src/backend/executor/nodeNestloop.c and the files beside it).
//!
//! ```text
//!  outer side ─▶ row ┐
//!                    ├─ equal keys ─▶ columns of the outer side, columns of the inner one
//!  inner side ─▶ row ┘  by a loop, by a hash table, by walking along both
//! ```
//!
//! A side is a scan or a join. Which pages are read, and in which order rows come out, follows from the way.

mod hash;
mod layout;
mod merge;
mod nested;
mod side;

use self::hash::HashJoin;
use self::layout::Layout;
use self::merge::MergeJoin;
use self::nested::NestedLoop;
use self::side::Side;
use crate::sql::executor::row::holds;
use crate::sql::executor::running::CountedJoin;
use crate::sql::expr::Typed;
use crate::sql::plan::{JoinNode, JoinPlan, JoinSide};
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::Comparator;

/// Values of a row of a side.
type Values = Vec<Value>;

/// A join that runs.
#[derive(Debug, Clone)]
pub(super) struct Join {
    sides: Sides,
    way: Way,
    /// where the columns of its rows are
    layout: Layout,
    /// what is asked of its rows
    filter: Vec<Typed>,
    /// was there a row of the outer side, of the inner one, in the pair that came last?
    pub met: [bool; 2],
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
    /// how keys compare
    compare: Vec<Comparator>,
    /// what else is asked of a pair
    others: Vec<Typed>,
    /// pairs of rows that it left out
    removed: u64,
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
    /// Before the first row.
    pub fn new(plan: &Arc<JoinPlan>, snapshot: &MvccSnapshot) -> Self {
        let way = match plan.node {
            JoinNode::Nested => Way::Nested(NestedLoop::default()),
            JoinNode::Hash => Way::Hash(HashJoin::default()),
            JoinNode::Merge => Way::Merge(MergeJoin::default()),
        };
        let layout = Layout::of(plan, &plan.inputs.iter().flat_map(|input| input.tables()).collect::<Vec<_>>());
        let filter = plan.filter.iter().map(|clause| layout.over(clause.clone())).collect();
        Self { sides: Sides::new(plan, &layout, snapshot), way, layout, filter, met: [false; 2], rows: 0, filtered: 0 }
    }

    /// The next row, with its columns where they are in the whole one. Is there one?
    pub fn next(&mut self, db: &mut Database, values: &mut Values) -> Outcome<bool> {
        let Some(row) = self.next_row(db)? else { return Ok(false) };
        values.clear();
        values.resize(self.sides.plan.width, Value::Null);
        self.layout.spread(row, values);
        Ok(true)
    }

    /// The next row: the values of the outer side, then those of the inner one.
    fn next_row(&mut self, db: &mut Database) -> Outcome<Option<Values>> {
        while let Some((outer, inner)) = self.next_pair(db)? {
            self.met = [outer.is_some(), inner.is_some()];
            let values = self.sides.both(outer, inner);
            if holds(db, &self.filter, &values)? {
                self.rows += 1;
                return Ok(Some(values));
            }
            self.filtered += 1;
        }
        Ok(None)
    }

    fn next_pair(&mut self, db: &mut Database) -> Outcome<Option<Pair>> {
        let sides = &mut self.sides;
        match &mut self.way {
            Way::Nested(join) => join.next(db, sides),
            Way::Hash(join) => join.next(db, sides),
            Way::Merge(join) => join.next(db, sides),
        }
    }

    /// `ExecReScan`: the first row comes next.
    fn rescan(&mut self, db: &mut Database) -> Outcome<()> {
        // the table of a hash join is kept where nothing that it was made of has changed
        let keeps = match &mut self.way {
            Way::Hash(join) => join.restart(&self.sides),
            Way::Nested(join) => {
                join.restart();
                false
            }
            Way::Merge(join) => {
                *join = MergeJoin::default();
                false
            }
        };
        self.sides.outer.rescan(db, None)?;
        if keeps { Ok(()) } else { self.sides.inner.rescan(db, None) }
    }

    /// Lets go of what the scans hold.
    pub fn end(&mut self, db: &mut Database) {
        self.sides.outer.end(db);
        self.sides.inner.end(db);
        if db.running.counted.counts_sort {
            db.running.counted.join = Some(Box::new(self.counted(db)));
        }
    }

    /// What it did.
    fn counted(&self, db: &Database) -> CountedJoin {
        let mut counted = CountedJoin { rows: self.rows, filtered: self.filtered, ..CountedJoin::default() };
        match &self.way {
            Way::Nested(join) => join.count(&mut counted, &self.sides),
            Way::Hash(join) => counted.hash = join.counted(),
            Way::Merge(_) => {}
        }
        counted.removed = self.sides.removed;
        counted.sides = [self.sides.outer.counted(db), self.sides.inner.counted(db)];
        counted
    }
}

impl Sides {
    fn new(plan: &Arc<JoinPlan>, layout: &Layout, snapshot: &MvccSnapshot) -> Self {
        let comparator = |key: &Typed| ffviz_format::datum::compare::comparator(key.ty.oid);
        let compare = plan.keys_of(0).iter().filter_map(comparator).collect();
        let (outer, mut inner) = (Side::new(plan, 0, snapshot), Side::new(plan, 1, snapshot));
        inner.keeps_marks = plan.node == JoinNode::Merge && !plan.skips_marks;
        let others = plan.others.iter().map(|clause| layout.over(clause.clone())).collect();
        Self { plan: plan.clone(), outer, inner, compare, others, removed: 0 }
    }

    /// A row of both, with NULLs in place of one that is missing.
    fn both(&self, outer: Option<Values>, inner: Option<Values>) -> Values {
        let mut values = outer.unwrap_or_default();
        values.resize(self.outer.width, Value::Null);
        values.extend(inner.unwrap_or_default());
        values.resize(self.outer.width + self.inner.width, Value::Null);
        values
    }

    /// Does a pair with equal keys satisfy the other conditions (`joinqual`)?
    fn joins(&mut self, db: &mut Database, outer: &[Value], inner: &[Value]) -> Outcome<bool> {
        if self.others.is_empty() {
            return Ok(true);
        }
        let both: Values = outer.iter().chain(inner).cloned().collect();
        let holds = holds(db, &self.others, &both)?;
        self.removed += u64::from(!holds);
        Ok(holds)
    }

    /// Do rows of the outer side come out that have no partner?
    fn fills_outer(&self) -> bool {
        matches!(self.plan.kind, JoinSide::Outer | JoinSide::Full | JoinSide::Anti)
    }

    /// Do those of the inner side?
    fn fills_inner(&self) -> bool {
        matches!(self.plan.kind, JoinSide::Inner | JoinSide::Full | JoinSide::RightAnti)
    }

    /// Does a pair come out?
    fn gives_pairs(&self) -> bool {
        !matches!(self.plan.kind, JoinSide::Anti | JoinSide::RightAnti)
    }

    /// Is no further partner of an outer row looked for (`single_match`)?
    fn is_once(&self) -> bool {
        self.plan.is_unique || matches!(self.plan.kind, JoinSide::Semi | JoinSide::Anti)
    }

    /// How keys compare, none of which is NULL.
    fn compare(&self, one: &[Value], other: &[Value]) -> Ordering {
        let pairs = self.compare.iter().zip(one.iter().zip(other));
        pairs.map(|(compare, (one, other))| compare(one, other)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn are_equal(&self, one: &[Value], other: &[Value]) -> bool {
        let has_null = |key: &[Value]| key.iter().any(Value::is_null);
        !has_null(one) && !has_null(other) && self.compare(one, other).is_eq()
    }
}
