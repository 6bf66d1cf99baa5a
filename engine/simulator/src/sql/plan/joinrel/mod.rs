//! Joins of two tables and more, in whichever order: one relation after another is joined to those before it, and of
//! each set of tables the ways are kept that are worth something (`standard_join_search`, `join_search_one_level`,
//! `make_join_rel`, src/backend/optimizer/path/joinrels.c).
//!
//! ```text
//!  {a} {b} {c}  ─▶  {a b} {b c}  ─▶  {a b c}      a set is made of any two that have a condition in common
//! ```
//!
//! LEFT JOIN, EXISTS and NOT EXISTS restrict the order. What is not certain to be planned as a server does has no plan.

mod build;
mod cost;
mod estimate;
mod grouped;
mod model;
mod paths;
mod plan;
mod rows;
mod search;
mod selfuncs;
mod top;

pub(super) use self::model::shifted;
pub(super) use self::plan::Planned;
pub use self::plan::{Between, JoinDistinct, JoinInput, JoinNode, JoinPlan, JoinSide, JoinSource, JoinTable};
pub(super) use self::rows::Rows;

use super::Cost;
use super::path::Path;
use crate::sql::expr::Typed;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// A set of relations, by their places.
pub(super) type Relids = u32;

/// What is asked of rows of several relations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clause {
    /// over the whole row
    pub expr: Typed,
    /// of an equality of two columns: these
    pub pair: Option<(u16, u16, SqlType)>,
    /// relations that it reads
    pub reads: Relids,
    /// those that must be there (`required_relids`)
    pub required: Relids,
    /// ON of the outer join, or condition of the one without partners, with this number
    pub own: Option<usize>,
    /// the class that it comes of
    pub class: Option<usize>,
}

/// Columns that are equal (`EquivalenceClass`).
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub members: Vec<u16>,
    pub relids: Relids,
    /// is one of them equal to a constant, so that nothing is left to be joined by?
    pub is_fixed: bool,
}

/// How rows of a join are matched that is no inner one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpecialKind {
    Left,
    Semi,
    Anti,
}

/// `SpecialJoinInfo`
#[derive(Debug, Clone)]
pub(super) struct Special {
    pub kind: SpecialKind,
    pub min_left: Relids,
    pub right: Relids,
    /// of an outer join: do rows of the right side stay, too?
    pub full: bool,
    /// of a semi join whose right side may be made distinct: its columns (`semi_rhs_exprs`)
    pub distinct: Vec<u16>,
}

/// One column of an order, by the class of columns that are equal to it (`PathKey`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathKey {
    pub class: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

/// `Path`
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub node: WayNode,
    pub rels: Relids,
    /// relations whose row it reads
    pub params: Relids,
    pub cost: Cost,
    pub rows: f64,
    pub width: u32,
    pub disabled: u32,
    pub keys: Vec<PathKey>,
}

/// What gives the rows.
#[derive(Debug, Clone)]
pub(super) enum WayNode {
    /// a scan; what it is asked that reads the row of another relation
    Scan(usize, Path, Vec<Clause>),
    /// rows that are kept
    Material(Arc<Way>),
    /// rows that are kept for each value of these columns
    Memoize(Arc<Way>, Vec<u16>),
    /// rows without others that are equal in these columns; by hashing?
    Unique(Arc<Way>, Vec<u16>, bool),
    /// it is distinct already
    Same(Arc<Way>),
    Join(Arc<JoinWay>),
}

/// A way to join.
#[derive(Debug, Clone)]
pub(super) struct JoinWay {
    pub node: JoinNode,
    pub kind: JoinSide,
    pub sides: [Arc<Way>; 2],
    /// equalities by which it is hashed or merged
    pub keys: Vec<Clause>,
    /// what else is asked of a pair
    pub others: Vec<Clause>,
    /// what is asked of its rows
    pub above: Vec<Clause>,
    /// what sorting a side costs
    pub sorts: [Option<Cost>; 2],
    /// are rows of the inner side kept, to be gone back to?
    pub keeps_inner: bool,
    pub is_unique: bool,
    pub skips_marks: bool,
    pub is_disabled: bool,
}

impl Way {
    pub fn price(&self) -> (u32, Cost) {
        (self.disabled, self.cost)
    }

    /// What is compared to find the cheapest way to all rows.
    pub fn by_total(&self) -> (u32, f64, f64) {
        (self.disabled, self.cost.total, self.cost.startup)
    }

    /// And to the first one.
    pub fn by_startup(&self) -> (u32, f64, f64) {
        (self.disabled, self.cost.startup, self.cost.total)
    }
}

/// A set of relations that are joined (`RelOptInfo`).
#[derive(Debug, Clone)]
pub(super) struct JoinRel {
    pub rels: Relids,
    pub rows: f64,
    pub width: u32,
    /// the cheapest first
    pub ways: Vec<Arc<Way>>,
    pub startup: Option<Arc<Way>>,
    pub total: Option<Arc<Way>>,
}

impl JoinRel {
    /// `set_cheapest`: of two that cost the same the one that has more of an order.
    pub fn choose(&mut self) {
        let is_longer = |way: &Way, old: &Way| way.keys.len() > old.keys.len() && way.keys.starts_with(&old.keys);
        let least = |price: fn(&Way) -> (u32, f64, f64)| {
            let is_better =
                |way: &Way, old: &Way| price(way) < price(old) || price(way) == price(old) && is_longer(way, old);
            let free = self.ways.iter().filter(|way| way.params == 0);
            free.reduce(|best, way| if is_better(way, best) { way } else { best }).cloned()
        };
        (self.startup, self.total) = (least(Way::by_startup), least(Way::by_total));
    }

    /// `cheapest_parameterized_paths`: the cheapest way that reads nothing, then those that do.
    pub fn parameterized(&self) -> impl Iterator<Item = &Arc<Way>> {
        self.total.iter().chain(self.ways.iter().filter(|way| way.params != 0))
    }
}
