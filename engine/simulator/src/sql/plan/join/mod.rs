//! How two tables are joined (`make_join_rel`, src/backend/optimizer/path/joinrels.c): as EXPLAIN tells it, and as
//! `executor/select/join` does it.
//!
//! ```text
//!  a JOIN b ON b.a_id = a.id      (a b) then (b a): nested loops, merge joins, hash joins, the cheapest stays
//! ```
//!
//! What is not certain to be planned as a server does has no plan: its EXPLAIN is refused, and it is run by loops over
//! whole tables, which read other pages and give rows in another order.

mod cost;
mod estimate;
mod grouped;
mod sorted;
mod ways;

pub(super) use self::cost::{Inner, Sorted, merge as merge_cost, nested as nested_cost};
use self::estimate::Side;
pub(super) use self::estimate::{Common, Matches, Part, bounds, overlap};
use self::sorted::Above;
use super::equivalence::is_mergejoinable;
use super::from::From;
use super::query::Wanted;
use super::select::{needed, needed_between};
use super::size::{clamp, of_table, width};
use super::source::SourceRows;
use super::statement::Planner;
use super::{Cost, Method, Scan, SelectPlan, Upper};
use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::datum::compare::comparator;
use ffviz_format::page::{Oid, PgVersion};

/// A table of a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinTable {
    /// which
    pub oid: Oid,
    /// what it is called
    pub name: String,
    /// its first slot in the whole row
    pub start: u16,
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
    /// is it known how many these are?
    pub is_estimated: bool,
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
}

impl JoinPlan {
    /// The place of a column's table.
    #[must_use]
    pub fn table_of(&self, slot: u16) -> usize {
        self.tables.iter().rposition(|table| table.start <= slot).unwrap_or(0)
    }

    /// The columns of a side by which rows are hashed or merged.
    #[must_use]
    pub fn keys_of(&self, side: usize) -> Vec<Typed> {
        let tables = self.inputs[side].tables();
        let is_here = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if tables.contains(&self.table_of(slot)));
        self.keys.iter().map(|(left, right)| if is_here(left) { left.clone() } else { right.clone() }).collect()
    }

    /// All scans below it.
    pub fn scans(&self) -> Vec<&Arc<Scan>> {
        let mut all = Vec::new();
        for input in &self.inputs {
            match &input.source {
                JoinSource::Scan(_, scan) => all.push(scan),
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
            JoinSource::Scan(table, _) => Vec::from([*table]),
            JoinSource::Join(join) => join.inputs.iter().flat_map(Self::tables).collect(),
        }
    }

    /// What its rows cost below what stands between it and the join.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match (&self.distinct, &self.source) {
            (Some(distinct), _) => distinct.cost,
            (None, JoinSource::Scan(_, scan)) => scan.cost,
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
pub(super) struct Planned {
    pub join: JoinPlan,
    /// what its rows are still to be sorted by, and how many of these keys they are sorted by already
    pub sort: Option<(Vec<SortKey>, usize)>,
    /// where they are grouped
    pub upper: Option<Upper>,
}

/// Both tables, as the statement names them.
struct Joined<'a> {
    tables: [&'a TableInfo; 2],
    clauses: [&'a [Typed]; 2],
    needed: [Vec<u16>; 2],
    /// the columns that are equal, a table each
    keys: Option<[Typed; 2]>,
    keeps_left: bool,
    /// the condition of an outer join
    written: Option<(Typed, Typed)>,
    /// what is asked of its rows
    filter: Vec<Typed>,
}

impl Planner<'_> {
    /// The plan of the query's join, where there is one of two tables, and what is left to sort. `compared`: columns
    /// that its conditions read, also those that are constants by now.
    pub(super) fn join_of(
        &mut self,
        plan: &SelectPlan,
        from: &From,
        compared: &[u16],
    ) -> Result<Option<Planned>, StatementError> {
        let (Some(first), [(0, second, _)]) = (&from.table, &from.tables[..]) else { return Ok(None) };
        let is_run = self.plans_joins && self.fraction.is_none() && !from.is_turned;
        if !self.given.explains && !is_run {
            return Ok(None);
        }
        let start = (first.columns.len() + SYSTEM.len()) as u16;
        let Some(mut joined) = joined(plan, [first, second], start) else { return Ok(None) };
        if joined.keys.is_none() {
            joined.keep_fixed(compared, start);
        }
        let Some(above) = Above::of(plan, &joined, start) else { return Ok(None) };
        let [one, other] = &from.range.entries[..] else { return Ok(None) };
        let names = [one.name.clone(), other.name.clone()];
        let known = [self.known(&joined, 0)?, self.known(&joined, 1)?];
        let orders = [above.of_table(&joined, 0, start), above.of_table(&joined, 1, start)];
        let side = |n: usize| self.side(&joined, &known[n], n, (&orders[n], above.limit));
        let sides = [side(0), side(1)];
        let is_unneeded =
            joined.keeps_left && sides[1].unique && joined.filter.is_empty() && !reads_second(plan, start);
        // such a join is left out, and one of a table with itself from 18 on
        if is_unneeded || first.oid == second.oid && sides[1].unique {
            return Ok(None);
        }
        let clause = joined.keys.as_ref().map(|keys| in_order(keys, &joined, start, self.major()));
        let is_shared = joined.keeps_left || self.version().takes_commuted_clauses();
        let left = clause.as_ref().filter(|_| is_shared).map(|(left, _)| usize::from(!is_before(left, start)));
        // how many rows a condition above the join leaves is not estimated
        let is_certain = joined.filter.is_empty() && estimate::is_certain(&sides[0], &sides[1]);
        let Some(ways) = ways::all(&sides, (joined.keeps_left, !joined.filter.is_empty()), left, self.major()) else {
            return Ok(None);
        };
        if !is_certain && (above.limit.is_some() || ways.iter().any(|way| way.sorted > 0)) {
            return Ok(None);
        }
        let rows = sorted::rows_of(&sides, joined.keeps_left);
        let Some((best, presorted, groups)) = above.best(ways, &sides, rows) else { return Ok(None) };
        let join = best.plan(&sides, names, start, clause);
        let keys = if presorted == above.keys.len() { Vec::new() } else { above.keys };
        let sort = above.sorts.then_some((keys, presorted));
        let filter = core::mem::take(&mut joined.filter);
        let skips_marks = join.is_unique && filter.is_empty();
        let join = JoinPlan { rows, groups, is_estimated: is_certain, skips_marks, ..join };
        let upper = match above.limit {
            _ if !plan.is_general() => None,
            limit => joined.upper(plan, &join, &sides, (start, limit)),
        };
        Ok(Some(Planned { join: JoinPlan { filter, ..join }, sort, upper }))
    }

    /// The table with the ends of its indexes, as far as they are asked for.
    fn known<'a>(&mut self, joined: &Joined<'a>, n: usize) -> Result<Cow<'a, TableInfo>, StatementError> {
        let mut asked = joined.clauses[n].to_vec();
        if let Some(keys) = &joined.keys {
            asked.extend(bounds(joined.tables[1 - n], &keys[1 - n], &keys[n]));
        }
        self.with_ends(joined.tables[n], &asked)
    }

    /// `sort`: the order that is wanted above the join.
    fn side<'a>(
        &self,
        joined: &Joined<'_>,
        table: &'a TableInfo,
        n: usize,
        (sort, limit): (&[SortKey], Option<(f64, f64)>),
    ) -> Side<'a> {
        let key = joined.keys.as_ref().map(|keys| keys[n].clone());
        let order = key.iter().map(|key| SortKey { expr: key.clone(), descending: false, nulls_first: false });
        let needed = &joined.needed[n];
        let wanted = Wanted {
            table,
            clauses: joined.clauses[n].to_vec(),
            needed: Some(needed.clone()),
            system: needed.iter().any(|slot| usize::from(*slot) >= table.columns.len()),
            order: order.collect(),
            limit,
            fraction: None,
            locks: false,
            enabled: self.catalog.scans(),
            input: self.catalog.input(),
            looked_up: None,
        };
        let (paths, sorted) = sorted::paths_of(&wanted, sort);
        let rows = paths.first().map_or(1.0, |path| path.rows);
        let width = needed.iter().map(|slot| column_width(table, *slot)).sum();
        let unique = key.as_ref().is_some_and(|key| is_unique(table, key, joined.clauses[n]));
        let tuples = of_table(table, self.major()).tuples;
        let start = if n == 1 { (joined.tables[0].columns.len() + SYSTEM.len()) as u16 } else { 0 };
        Side { wanted, start, paths, sorted, order: sort.to_vec(), tuples, rows: clamp(rows), width, key, unique }
    }
}

impl Joined<'_> {
    /// Columns that were equal to those of the other table are read there, though each is equal to a constant.
    fn keep_fixed(&mut self, compared: &[u16], start: u16) {
        for slot in compared {
            let (n, slot) = slot.checked_sub(start).map_or((0, *slot), |slot| (1, slot));
            let column = Typed { node: Node::Slot(slot), ty: SqlType::INT4 };
            if self.clauses.iter().all(|all| !all.is_empty())
                && self.clauses[n].iter().any(|clause| super::path::fixes(clause, &column))
                && !self.needed[n].contains(&slot)
            {
                self.needed[n].push(slot);
            }
        }
    }
}

/// Does nothing stand above the join that it is planned for, but what takes all rows in any order?
fn is_alone(plan: &SelectPlan) -> bool {
    plan.sort.is_empty()
        && plan.limit.is_none()
        && plan.offset.is_none()
        && plan.locking.is_none()
        && plan.aggregate_order.is_empty()
        && !plan.is_general()
}

/// What is joined, where it is that simple.
fn joined<'a>(plan: &'a SelectPlan, tables: [&'a TableInfo; 2], start: u16) -> Option<Joined<'a>> {
    let (Some(scan), [source]) = (&plan.scan, &plan.sources[..]) else { return None };
    let SourceRows::Table(other) = &source.rows else { return None };
    let is_simple = |table: &TableInfo| !table.has_parts() && table.sample.is_none();
    let is_plain = |scan: &Scan| {
        let is_open = |node: &Node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..));
        !matches!(scan.method, Method::Nothing | Method::Append(_) | Method::CurrentOf(_))
            && !scan.filter.iter().any(|clause| clause.any(&is_open))
    };
    if !tables.iter().all(|table| is_simple(table)) || !is_plain(scan) || !is_plain(other) || !plan.filter.is_empty() {
        return None;
    }
    let keeps_left = source.keeps_left;
    if source.keeps_right.is_some() {
        return None;
    }
    // conditions above an outer join are asked of its rows; these cost nothing
    let is_null = |clause: &Typed| matches!(&clause.node, Node::IsNull(expr, _) if matches!(expr.node, Node::Slot(_)));
    if keeps_left && (source.on.is_empty() || !source.filter.iter().all(is_null)) {
        return None;
    }
    let keys = match (&source.filter[..], &source.on[..]) {
        ([], []) => None,
        ([clause], []) => Some(keys_of(clause, start)?),
        (_, [clause]) if keeps_left => Some(keys_of(clause, start)?),
        _ => return None,
    };
    // one that the join's key does not satisfy makes another join of it (`reduce_outer_joins`)
    let reduces = |clause: &Typed| {
        let Node::IsNull(expr, is_not) = &clause.node else { return false };
        *is_not || keys.as_ref().is_some_and(|keys| of_second(expr, start).is_some_and(|it| it.node == keys[1].node))
    };
    if keeps_left && source.filter.iter().any(reduces) {
        return None;
    }
    let filter = if keeps_left { source.filter.clone() } else { Vec::new() };
    let is_fixed = |key: &Typed| scan.filter.iter().any(|clause| super::path::fixes(clause, key));
    if keeps_left && keys.as_ref().is_some_and(|keys| is_fixed(&keys[0])) {
        return None;
    }
    let end = start + (tables[1].columns.len() + SYSTEM.len()) as u16;
    let needed = [distinct(needed(plan, start)), distinct(needed_between(plan, &(start..end)))];
    let written = source.on.first().and_then(|clause| match &clause.node {
        Node::Binary(_, operands) => Some((**operands).clone()),
        _ => None,
    });
    Some(Joined { tables, clauses: [&scan.filter, &other.filter], needed, keys, keeps_left, written, filter })
}

/// A column of the second table, from 0.
fn of_second(expr: &Typed, start: u16) -> Option<Typed> {
    match expr.node {
        Node::Slot(slot) if slot >= start => Some(Typed { node: Node::Slot(slot - start), ty: expr.ty }),
        _ => None,
    }
}

/// The columns of an equality between both tables.
fn keys_of(clause: &Typed, start: u16) -> Option<[Typed; 2]> {
    let Node::Binary(BinaryOp::Eq, operands) = &clause.node else { return None };
    let (Node::Slot(one), Node::Slot(other)) = (&operands.0.node, &operands.1.node) else { return None };
    let is_usable =
        operands.0.ty.oid == operands.1.ty.oid && comparator(operands.0.ty.oid).is_some() && is_mergejoinable(operands);
    let of_second = |expr: &Typed, slot: u16| Typed { node: Node::Slot(slot - start), ty: expr.ty };
    match (*one < start, *other < start) {
        (true, false) if is_usable => Some([operands.0.clone(), of_second(&operands.1, *other)]),
        (false, true) if is_usable => Some([operands.1.clone(), of_second(&operands.0, *one)]),
        _ => None,
    }
}

fn is_before(expr: &Typed, start: u16) -> bool {
    matches!(expr.node, Node::Slot(slot) if slot < start)
}

/// Each once, in the order in which they are named first (`add_vars_to_targetlist`).
fn distinct(slots: Vec<u16>) -> Vec<u16> {
    let mut all = Vec::with_capacity(slots.len());
    for slot in slots {
        if !all.contains(&slot) {
            all.push(slot);
        }
    }
    all
}

/// Is a column of the second table read above the join?
fn reads_second(plan: &SelectPlan, start: u16) -> bool {
    let above = SelectPlan { sources: Vec::new(), ..plan.clone() };
    needed(&above, u16::MAX).iter().any(|slot| *slot >= start)
}

pub(super) fn column_width(table: &TableInfo, slot: u16) -> u32 {
    match table.columns.get(usize::from(slot)) {
        Some(column) => width(table, slot, &column.attribute),
        None => SYSTEM.get(usize::from(slot) - table.columns.len()).map_or(0, |(_, ty)| super::size::typavgwidth(*ty)),
    }
}

/// `relation_has_unique_index_for`: has each value of the key one row at most?
fn is_unique(table: &TableInfo, key: &Typed, clauses: &[Typed]) -> bool {
    let is_known =
        |expr: &Typed| expr.node == key.node || clauses.iter().any(|clause| super::path::fixes(clause, expr));
    table.indexes.iter().any(|index| {
        index.unique && index.immediate && index.predicate.is_empty() && index.keys.iter().all(|it| is_known(&it.expr))
    })
}

/// The equality as the server has made it: for the first index that it may be asked of, or for the join
/// (`create_join_clause`); of an outer join as it is written.
fn in_order(keys: &[Typed; 2], joined: &Joined<'_>, start: u16, major: u32) -> (Typed, Typed) {
    if let Some(written) = &joined.written {
        return written.clone();
    }
    let second = |expr: &Typed| match expr.node {
        Node::Slot(slot) => Typed { node: Node::Slot(slot + start), ty: expr.ty },
        _ => expr.clone(),
    };
    let is_indexed = |n: usize| {
        joined.tables[n].indexes.iter().any(|index| index.keys.iter().any(|key| key.expr.node == keys[n].node))
    };
    let commutes = PgVersion::of_major(major).takes_commuted_clauses();
    if commutes && !is_indexed(0) && is_indexed(1) {
        return (second(&keys[1]), keys[0].clone());
    }
    (keys[0].clone(), second(&keys[1]))
}
