//! A join as it is run and as EXPLAIN tells it (`NestLoop`, `MergeJoin`, `HashJoin`, src/include/nodes/plannodes.h),
//! and how one is made of the way that was chosen (`create_join_plan`, src/backend/optimizer/plan/createplan.c).

use super::estimate::Part;
use super::model::Model;
use super::paths::kept;
use super::{Clause, JoinWay, Way, WayNode};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::{Cost, Scan, SelectPlan, Upper};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// A table of a join.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinTable {
    /// which
    pub oid: Oid,
    /// what it is called
    pub name: String,
    /// its first slot in the whole row
    pub start: u16,
    /// what it looks like, where it is no table
    pub rows: Option<Arc<TableInfo>>,
}

/// A join of two sides, each of which is a table or a join.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinPlan {
    /// all tables of the query, in the order of FROM
    pub tables: Arc<[JoinTable]>,
    /// how many values a whole row has
    pub width: usize,
    /// which rows without a partner stay
    pub kind: JoinSide,
    /// the node
    pub node: JoinNode,
    /// the outer one, and the inner one
    pub inputs: [JoinInput; 2],
    /// the equalities by which rows are hashed or merged, with their sides in the server's order
    pub keys: Vec<(Typed, Typed)>,
    /// what else is asked of a pair of rows
    pub others: Vec<Typed>,
    /// what it costs
    pub cost: Cost,
    /// how many rows are expected
    pub rows: f64,
    /// how wide these are
    pub row_width: u32,
    /// how many values the keys have by which its rows are sorted already
    pub groups: f64,
    /// what is asked of its rows
    pub filter: Vec<Typed>,
    /// is it a way that a setting forbids?
    pub disabled: bool,
    /// has a row of the outer side one partner at most, so that no other is looked for?
    pub is_unique: bool,
    /// does a merge join never go back to a row of the inner side (`skip_mark_restore`)?
    pub skips_marks: bool,
    /// does the inner scan read the outer row?
    pub looks_up: bool,
    /// of the uppermost one: all conditions over a whole row, where no row may stay without a partner
    pub written: Option<Vec<Typed>>,
    /// how wide places and rows of the other tables are that come out of it beside what is computed
    pub beside: u32,
}

impl JoinPlan {
    /// The place of a column's table.
    #[must_use]
    pub fn table_of(&self, slot: u16) -> usize {
        self.tables.iter().rposition(|table| table.start <= slot).unwrap_or(0)
    }

    /// Does it read columns of these tables only?
    #[must_use]
    pub fn is_of(&self, tables: &[usize], expr: &Typed) -> bool {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        slots.iter().all(|slot| tables.contains(&self.table_of(*slot)))
    }

    /// What is compared of a side by which rows are hashed or merged.
    #[must_use]
    pub fn keys_of(&self, side: usize) -> Vec<Typed> {
        let tables = self.inputs[side].tables();
        let is_here = |expr: &Typed| self.is_of(&tables, expr);
        self.keys.iter().map(|(left, right)| if is_here(left) { left.clone() } else { right.clone() }).collect()
    }

    /// All scans below it.
    pub fn scans(&self) -> Vec<&Arc<Scan>> {
        let mut all = Vec::new();
        for input in &self.inputs {
            match &input.source {
                JoinSource::Scan(_, scan) => all.push(scan),
                JoinSource::Rows(..) => {}
                JoinSource::Join(join) => all.extend(join.scans()),
            }
        }
        all
    }
}

/// Which rows come out besides pairs, or in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinSide {
    /// pairs only
    Neither,
    /// rows of the outer side without a partner too
    Outer,
    /// rows of the inner one
    Inner,
    /// rows of both
    Full,
    /// each row of the outer side that has a partner, once
    Semi,
    /// each that has none
    Anti,
    /// of the inner side those that have one
    RightSemi,
    /// those that have none
    RightAnti,
}

/// A way to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinNode {
    /// for each row of the outer side those of the inner one
    Nested,
    /// both sides in the order of the key
    Merge,
    /// the inner side by the key's hash
    Hash,
}

/// What gives the rows of a side.
#[derive(Debug, Clone, PartialEq)]
pub enum JoinSource {
    /// the scan of the table with this place; of a nested loop one that may read the outer row
    Scan(usize, Arc<Scan>),
    /// the query that gives the rows of the item with this place, and what it costs
    Rows(usize, Arc<SelectPlan>, Cost),
    /// another join
    Join(Arc<JoinPlan>),
}

/// Rows that are made distinct.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinDistinct {
    /// the columns that they are distinct in
    pub columns: Vec<Typed>,
    /// by a hash table, or sorted at this cost?
    pub sort: Option<Cost>,
    /// what it costs, and how many are left
    pub cost: Cost,
    /// how many are left
    pub rows: f64,
}

/// One side of a join.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinInput {
    /// what gives its rows
    pub source: JoinSource,
    /// how wide these are
    pub width: u32,
    /// its columns that are read above it
    pub columns: Vec<Typed>,
    /// how many rows are expected of it
    pub rows: f64,
    /// are these made distinct?
    pub distinct: Option<JoinDistinct>,
    /// what stands between it and the join
    pub between: Between,
    /// columns of the outer row by which rows are kept (Memoize)
    pub cached: Vec<Typed>,
}

impl JoinInput {
    /// The places of its tables, in the order in which their columns come.
    #[must_use]
    pub fn tables(&self) -> Vec<usize> {
        match &self.source {
            JoinSource::Scan(table, _) | JoinSource::Rows(table, ..) => Vec::from([*table]),
            JoinSource::Join(join) => join.inputs.iter().flat_map(Self::tables).collect(),
        }
    }

    /// What its rows cost below what stands between it and the join.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match (&self.distinct, &self.source) {
            (Some(distinct), _) => distinct.cost,
            (None, JoinSource::Scan(_, scan)) => scan.cost,
            (None, JoinSource::Rows(_, _, cost)) => *cost,
            (None, JoinSource::Join(join)) => join.cost,
        }
    }
}

/// A node between a scan and a join.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Between {
    /// none
    Nothing,
    /// rows in the order of the key
    Sort(Cost),
    /// rows that are kept to be read again
    Materialize(Cost),
    /// rows that are kept for each value of the outer row
    Memoize(Cost),
    /// a hash table
    Hash,
}

/// A join, and what stands above it.
pub(in crate::sql::plan) struct Planned {
    pub join: JoinPlan,
    /// what its rows are still to be sorted by, and how many of these keys they are sorted by already
    pub sort: Option<(Vec<SortKey>, usize)>,
    /// where they are grouped
    pub upper: Option<Upper>,
}

impl Model {
    pub fn plan_of(&self, way: &Way, join: &JoinWay, tables: &Arc<[JoinTable]>) -> Option<JoinPlan> {
        let exprs = |clauses: &[Clause]| clauses.iter().map(|clause| clause.expr.clone()).collect::<Vec<Typed>>();
        let keys = join.keys.iter().map(|key| match &key.expr.node {
            Node::Binary(_, operands) => Some((operands.0.clone(), operands.1.clone())),
            _ => None,
        });
        let [outer, inner] = &join.sides;
        let [mut one, mut other] = [self.input_of(outer, tables)?, self.input_of(inner, tables)?];
        if let Some(cost) = join.sorts[0] {
            one.between = Between::Sort(cost);
        }
        if let Some(cost) = join.sorts[1] {
            other.between = Between::Sort(cost);
        } else if join.keeps_inner {
            other.between = Between::Materialize(kept(inner));
        } else if join.node == JoinNode::Hash {
            other.between = Between::Hash;
        }
        Some(JoinPlan {
            tables: tables.clone(),
            width: self.width(),
            kind: join.kind,
            node: join.node,
            inputs: [one, other],
            keys: keys.collect::<Option<Vec<_>>>()?,
            others: exprs(&join.others),
            cost: way.cost,
            rows: way.rows,
            row_width: way.width,
            groups: 0.0,
            filter: exprs(&join.above),
            disabled: join.is_disabled,
            is_unique: join.is_unique,
            skips_marks: join.skips_marks,
            looks_up: inner.params & outer.rels != 0,
            written: None,
            beside: 0,
        })
    }

    fn input_of(&self, way: &Way, tables: &Arc<[JoinTable]>) -> Option<JoinInput> {
        let source = |source| JoinInput {
            source,
            width: way.width,
            columns: self.columns_of(way.rels),
            rows: way.rows,
            distinct: None,
            between: Between::Nothing,
            cached: Vec::new(),
        };
        Some(match &way.node {
            WayNode::Scan(n, ..) if self.bases[*n].source.is_some() => {
                let rows = self.bases[*n].source.as_ref()?;
                source(JoinSource::Rows(*n, rows.query(&self.bases[*n].clauses), way.cost))
            }
            WayNode::Scan(n, path, reads) => {
                source(JoinSource::Scan(*n, Arc::new(self.scan_of(*n, path.clone(), reads))))
            }
            WayNode::Join(join) => source(JoinSource::Join(Arc::new(self.plan_of(way, join, tables)?))),
            WayNode::Material(below) => {
                JoinInput { between: Between::Materialize(way.cost), ..self.input_of(below, tables)? }
            }
            WayNode::Memoize(below, slots) => JoinInput {
                between: Between::Memoize(way.cost),
                cached: slots.iter().map(|slot| self.column(*slot)).collect(),
                ..self.input_of(below, tables)?
            },
            WayNode::Same(below) => self.input_of(below, tables)?,
            WayNode::Unique(below, slots, hashed) => {
                let columns = slots.iter().map(|slot| self.column(*slot)).collect();
                let sorted = self.sorted(below, Part::WHOLE, true)?.1;
                let sort = sorted.filter(|_| !hashed);
                let distinct = JoinDistinct { columns, sort, cost: way.cost, rows: way.rows };
                let below = self.input_of(below, tables)?;
                JoinInput { distinct: Some(distinct), rows: way.rows, ..below }
            }
        })
    }
}
