//! How the source of MERGE is joined with the table (`add_paths_to_joinrel`, src/backend/optimizer/path/joinpath.c).
//!
//! ```text
//!  nested loop   a row of the source, then an index scan for the table's rows, or a scan with the row's values
//!  hash join     one side is read whole, then the other row by row; what is left of the first comes last
//! ```
//!
//! Merge joins are not made: where one may be cheaper, MERGE is refused.

use super::cost::{self, Btree, Cost};
use super::join_cost::{Clauses, Side, buckets, cheapest, hash, nested, nested_whole};
use super::selectivity::Selectivity;
use super::size::{WORK_MEM, ceil, of_table};
use super::source::SourceRows;
use super::statement::Planner;
use super::{Method, Scan, SelectPlan};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, Typed};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::{SqlType, Value};

/// How both sides meet.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeJoin {
    /// the way
    pub way: MergeWay,
    /// what rows of both sides must satisfy together
    pub on: Vec<Typed>,
    /// equalities among that: of the table, of the source
    pub keys: Vec<(Typed, Typed)>,
    /// has a row of the source one partner at most?
    pub unique: bool,
    /// rows that the table is taken to have
    pub rows: f64,
    /// do rows of the source stay that have no partner?
    pub keeps_source: bool,
    /// do rows of the table?
    pub keeps_target: bool,
}

/// Which side is read first.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeWay {
    /// for each row of the source a scan of the table, whose conditions read that row
    Nested(Arc<Scan>),
    /// all of the table is read before the rest of the source; one by one, without a hash table
    Whole(Arc<Scan>),
    /// all of the table is put into a hash table
    HashTarget(Arc<Scan>),
    /// all of the source is put into a hash table of so many buckets
    HashSource(Arc<Scan>, u32),
}

impl MergeWay {
    /// The scan of the table.
    #[must_use]
    pub fn scan(&self) -> Option<&Scan> {
        let (Self::Nested(scan) | Self::Whole(scan) | Self::HashTarget(scan) | Self::HashSource(scan, _)) = self;
        Some(scan)
    }
}

/// The join that is planned.
struct Join<'a> {
    table: &'a TableInfo,
    width: usize,
    source: &'a SelectPlan,
    on: Vec<Typed>,
    keys: Vec<(Typed, Typed)>,
    keeps: (bool, bool),
}

fn refuse(what: &str) -> StatementError {
    StatementError::unsupported(alloc::format!("MERGE {what} is not supported"), None)
}

impl Planner<'_> {
    /// `keeps`: do rows of the source, of the table stay that have no partner?
    pub(super) fn merge_join(
        &mut self,
        table: &TableInfo,
        width: usize,
        source: &SelectPlan,
        on: Vec<Typed>,
        keeps: (bool, bool),
    ) -> Result<MergeJoin, StatementError> {
        let constants = constants(source);
        let on: Vec<Typed> = match &constants {
            Some(values) => on.into_iter().map(|part| over_row(part, width, values)).collect(),
            None => on,
        };
        let of_table = |slot: u16| usize::from(slot) < width;
        let reads = |part: &Typed| {
            let mut slots = Vec::new();
            part.slots(&mut slots);
            (slots.iter().any(|slot| of_table(*slot)), slots.iter().any(|slot| !of_table(*slot)))
        };
        if on.iter().any(|part| part.any(&|node| matches!(node, Node::Query(_)))) {
            return Err(refuse("ON with a query"));
        }
        let keys: Vec<_> = on.iter().filter_map(|part| key(part, &reads)).collect();
        let (join_parts, own): (Vec<Typed>, Vec<Typed>) = on.iter().cloned().partition(|part| reads(part).1);
        let is_one_row = constants.is_some();
        if !is_one_row && keys.is_empty() {
            return Err(refuse("ON without an equality of a column of the table and the source"));
        }
        if join_parts.iter().any(|part| !reads(part).0) || keeps.1 && !own.is_empty() {
            return Err(refuse("ON with a condition on one side alone"));
        }
        self.catalog.look_up(alloc::vec![Lookup::Type(SqlType::TID.oid)]);
        self.look_up_relation(table, false);
        self.look_up_statistics(table, &on, &[]);
        let join = Join { table, width, source, on: join_parts, keys, keeps };
        let way = if is_one_row && !keeps.1 {
            MergeWay::Nested(self.cheapest_scan(table, own, None, true)?.into())
        } else if is_one_row {
            return Err(refuse("NOT MATCHED BY SOURCE with a source of one row that is constant"));
        } else {
            self.merge_way(&join, own)?
        };
        let on = if matches!(way, MergeWay::Nested(_)) { Vec::new() } else { join.on };
        let unique = !is_one_row && is_unique(table, join.keys.iter().map(|(key, _)| key));
        let rows = way.scan().map_or(0.0, |scan| scan.rows);
        Ok(MergeJoin { way, on, keys: join.keys, unique, rows, keeps_source: keeps.0, keeps_target: keeps.1 })
    }

    fn merge_way(&mut self, join: &Join<'_>, own: Vec<Typed>) -> Result<MergeWay, StatementError> {
        let (major, input) = (self.major(), self.catalog.input());
        let whole = self.cheapest_scan(join.table, own.clone(), None, true)?;
        let rows = whole.rows;
        let size = of_table(join.table, major);
        let selectivity = Selectivity::new(join.table, size.tuples, input);
        let distinct = |key: &Typed| selectivity.distinct(key);
        let first =
            join.keys.iter().map(|(key, _)| distinct(key)).reduce(|one, next| if next.0 > one.0 { next } else { one });
        let stats = |key: &Typed| join.table.stats.iter().find(|(node, _)| *node == key.node).map(|(_, stats)| stats);
        let most = join.keys.first().and_then(|(key, _)| stats(key)?.most_common.first().map(|(_, share)| *share));
        let target = Side {
            cost: whole.cost,
            rows,
            distinct: first.unwrap_or((1.0, true)),
            most_common: most.unwrap_or(0.0),
            unique: is_unique(join.table, join.keys.iter().map(|(key, _)| key)),
        };
        let source = self.source_side(join)?;
        let others = join.on.len() - join.keys.len();
        let others = if others > 0 { cost::quals(&join.on, major).total } else { 0.0 };
        let clauses = Clauses { keys: join.keys.len() as f64, others };
        let whole = Arc::new(whole);
        let mut ways: Vec<(MergeWay, Cost)> = Vec::new();
        let by_hash = [
            (MergeWay::HashTarget(whole.clone()), hash(&source, &target, clauses)),
            (MergeWay::HashSource(whole.clone(), buckets(source.rows)), hash(&target, &source, clauses)),
        ];
        if join.keeps.1 {
            // with rows of the table kept it is the left side
            let [one, other] = by_hash;
            ways.extend(if join.keeps.0 { [one, other] } else { [other, one] });
        } else {
            let row = |part: &Typed| outer_row(part.clone(), join.width);
            let clauses_of_row: Vec<Typed> = own.into_iter().chain(join.on.iter().map(row)).collect();
            let scan = self.cheapest_scan(join.table, clauses_of_row, None, true)?;
            let found = scan.rows;
            let by_index = (scan.method != Method::Seq).then(|| {
                let each = repeated(&scan, source.rows, found, size);
                (
                    MergeWay::Nested(scan.into()),
                    nested(&source, each, found, &target, Clauses { others: 0.0, ..clauses }),
                )
            });
            let by_whole = (MergeWay::Whole(whole), nested_whole(&source, &target, clauses));
            let [one, other] = by_hash;
            let of_source = by_index.into_iter().chain([by_whole, one]);
            if join.keeps.0 {
                ways.extend(of_source.chain([other]));
            } else {
                ways.extend([other].into_iter().chain(of_source));
            }
        }
        let costs: Vec<Cost> = ways.iter().map(|(_, cost)| *cost).collect();
        let best = cheapest(&costs);
        self.check_merge_join(join, &source, &target, costs[best].total)?;
        Ok(ways.swap_remove(best).0)
    }

    /// Is there a merge join that may be cheaper?
    fn check_merge_join(&self, join: &Join<'_>, source: &Side, target: &Side, best: f64) -> Result<(), StatementError> {
        const WIDTH: f64 = 60.0;
        if source.rows.min(target.rows) * WIDTH > WORK_MEM {
            return Err(refuse("of so many rows that a hash table does not fit into work_mem"));
        }
        let of_source = join.source.scan.as_deref().and_then(|scan| self.catalog.table_of(scan.table));
        let Some((info, (key, other))) = of_source.zip(join.keys.first()) else { return Ok(()) };
        let major = self.major();
        let by_index = |table: &TableInfo, key: &Typed, share: f64| {
            let size = of_table(table, major);
            let selectivity = Selectivity::new(table, size.tuples, self.catalog.input());
            let index = table
                .indexes
                .iter()
                .filter(|index| index.gist.is_none())
                .find(|index| index.keys.first().is_some_and(|it| it.expr.node == key.node))?;
            let tree = Btree { index, clauses: &[], size, selectivity: &selectivity, loops: 1.0, major };
            let whole = tree.with_heap(tree.cost(), &[], false);
            Some(whole.startup + (whole.total - whole.startup) * share)
        };
        let sorted = cost::sort(source.cost, source.rows, None).total;
        let Some(read) = read(join, other) else { return Ok(()) };
        let of_source = by_index(&info, &read, 1.0).map_or(sorted, |cost| cost.min(sorted));
        // the scan of the table ends behind the source's greatest key
        let size = of_table(join.table, major);
        let selectivity = Selectivity::new(join.table, size.tuples, self.catalog.input());
        let share = greatest(&info, &read).map_or(1.0, |value| {
            let pair = Box::new((key.clone(), Typed::constant(value, key.ty)));
            selectivity.one(&Typed { node: Node::Binary(BinaryOp::Le, pair), ty: SqlType::BOOL })
        });
        match by_index(join.table, key, share) {
            Some(of_target) if of_source + of_target < best => Err(refuse("that may be done by a merge join")),
            _ => Ok(()),
        }
    }

    /// Cost, rows and keys of the source.
    fn source_side(&self, join: &Join<'_>) -> Result<Side, StatementError> {
        const GUESSED: f64 = 200.0;
        let plan = join.source;
        let Some((cost, rows)) = plan.cost_of() else {
            return Err(refuse("USING of a query whose rows are not estimated"));
        };
        if let Some(query) = grouped(plan) {
            let unique = is_of_groups(join, query);
            return Ok(Side { cost, rows, distinct: (rows, false), most_common: 0.0, unique });
        }
        let few = |rows: f64| if rows < GUESSED { (rows, false) } else { (GUESSED, true) };
        let mut side = Side { cost, rows, distinct: few(rows), most_common: 0.0, unique: false };
        let table = plan.scan.as_deref().and_then(|scan| self.catalog.table_of(scan.table));
        let Some(table) = table else {
            if is_values(plan) {
                side.distinct = (rows, false);
            }
            return Ok(side);
        };
        let tuples = of_table(&table, self.major()).tuples;
        let selectivity = Selectivity::new(&table, tuples, self.catalog.input());
        let keys: Option<Vec<Typed>> = join.keys.iter().map(|(_, key)| read(join, key)).collect();
        let Some(keys) = keys else { return Ok(side) };
        let found = keys
            .iter()
            .map(|key| selectivity.distinct(key))
            .reduce(|one, next| if next.0 > one.0 { next } else { one });
        side.distinct = found.unwrap_or(side.distinct);
        let stats = keys.first().and_then(|key| table.stats.iter().find(|(node, _)| *node == key.node));
        side.most_common = stats.and_then(|(_, stats)| stats.most_common.first()).map_or(0.0, |(_, share)| *share);
        side.unique = is_unique(&table, keys.iter());
        Ok(side)
    }
}

/// A key of the source over the table that the source reads.
fn read(join: &Join<'_>, key: &Typed) -> Option<Typed> {
    let Node::Slot(slot) = key.node else { return None };
    join.source.targets.get(usize::from(slot).checked_sub(join.width)?)?.value.expr().cloned()
}

/// The greatest value that ANALYZE found (`get_variable_range`).
fn greatest(table: &TableInfo, key: &Typed) -> Option<Value> {
    let (_, stats) = table.stats.iter().find(|(node, _)| *node == key.node)?;
    let compare = comparator(key.ty.oid)?;
    let all = stats.histogram.last().into_iter().chain(stats.most_common.iter().map(|(value, _)| value));
    all.max_by(|one, other| compare(one, other)).cloned()
}

/// The query whose rows are grouped, where the source is that and no more.
pub(super) fn grouped(plan: &SelectPlan) -> Option<&SelectPlan> {
    match &plan.sources[..] {
        [source] if plan.scan.is_none() && source.filter.is_empty() && plan.filter.is_empty() => match &source.rows {
            SourceRows::Query(inner) => Some(&**inner).filter(|inner| inner.is_general()),
            _ => None,
        },
        _ => None,
    }
}

/// Are all that its rows are grouped by among the keys, so that each row has keys of its own?
fn is_of_groups(join: &Join<'_>, query: &SelectPlan) -> bool {
    let output = |(_, key): &(Typed, Typed)| {
        let expr = read(join, key)?;
        let Node::Slot(slot) = expr.node else { return None };
        query.targets.get(usize::from(slot))?.value.expr()
    };
    let is_key = |(n, key): (usize, &Typed)| {
        let number = query.aggregates.len() + n;
        let is_it = |node: &Node| match node {
            Node::Aggregate(at) => usize::from(*at) == number,
            node => *node == key.node,
        };
        join.keys.iter().filter_map(output).any(|expr| is_it(&expr.node))
    };
    query.group.iter().enumerate().all(is_key)
}

/// Are its rows those of VALUES?
pub(super) fn is_values(plan: &SelectPlan) -> bool {
    match &plan.sources[..] {
        [source] => match &source.rows {
            SourceRows::Values(_) => true,
            SourceRows::Query(inner) => is_values(inner),
            _ => false,
        },
        _ => false,
    }
}

/// The values of a query of one row, where they are constants: it is pulled up (`pull_up_simple_values`).
pub(super) fn constants(plan: &SelectPlan) -> Option<Vec<Typed>> {
    plan.cost_of()?;
    let outer = match (&plan.scan, &plan.sources[..]) {
        (None, []) => Vec::new(),
        (None, [source]) => match &source.rows {
            SourceRows::Values(rows) => match &rows[..] {
                [row] => row.clone(),
                _ => return None,
            },
            SourceRows::Query(inner) => constants(inner)?,
            _ => return None,
        },
        _ => return None,
    };
    let value = |expr: &Typed| match &expr.node {
        Node::Slot(slot) => outer.get(usize::from(*slot)).cloned(),
        _ => Some(expr.clone()),
    };
    let values: Option<Vec<Typed>> = plan.targets.iter().map(|output| value(output.value.expr()?)).collect();
    values.filter(|values| values.iter().all(|value| matches!(value.node, Node::Const(_))))
}

/// Equality of a column of the table and something of the source.
fn key(part: &Typed, reads: &impl Fn(&Typed) -> (bool, bool)) -> Option<(Typed, Typed)> {
    let Node::Binary(BinaryOp::Eq, pair) = &part.node else { return None };
    let (one, other) = (&pair.0, &pair.1);
    match (reads(one), reads(other)) {
        ((true, false), (false, true)) => Some((one.clone(), other.clone())),
        ((false, true), (true, false)) => Some((other.clone(), one.clone())),
        _ => None,
    }
}

/// Has the table a unique index over some of these columns?
fn is_unique<'a>(table: &TableInfo, keys: impl Iterator<Item = &'a Typed>) -> bool {
    let nodes: Vec<&Node> = keys.map(|key| &key.node).collect();
    let is_covered =
        |index: &crate::sql::catalog::IndexInfo| index.keys.iter().all(|key| nodes.contains(&&key.expr.node));
    table.indexes.iter().any(|index| index.unique && index.immediate && index.predicate.is_empty() && is_covered(index))
}

/// With the source's columns as these values.
fn over_row(part: Typed, width: usize, values: &[Typed]) -> Typed {
    if let Node::Slot(slot) = part.node
        && let Some(value) = usize::from(slot).checked_sub(width).and_then(|at| values.get(at))
    {
        return Typed { node: value.node.clone(), ty: part.ty };
    }
    let Ok(part) = part.map_children(&mut |child| Ok::<_, Infallible>(over_row(child, width, values)));
    part
}

/// With the source's columns as those of a row around.
fn outer_row(part: Typed, width: usize) -> Typed {
    if let Node::Slot(slot) = part.node
        && usize::from(slot) >= width
    {
        return Typed { node: Node::Outer(1, slot), ty: part.ty };
    }
    let Ok(part) = part.map_children(&mut |child| Ok::<_, Infallible>(outer_row(child, width)));
    part
}

/// `cost_index` of a scan that is repeated: blocks that were read are there the next time.
fn repeated(scan: &Scan, times: f64, rows: f64, size: super::size::Size) -> Cost {
    let Method::Index(_) = &scan.method else { return scan.cost };
    let fetched = |rows: f64, pages: f64| {
        let read = ceil(2.0 * pages * rows / (2.0 * pages + rows));
        if pages <= 1.0 { 1.0 } else { read.min(pages) }
    };
    let once = (1.0 + fetched(rows, size.pages)) * size.costs.random;
    let always = (fetched(times, 2.0) + fetched(rows * times, size.pages)) * size.costs.random / times.max(1.0);
    let total = scan.cost.total - once + always;
    Cost { startup: scan.cost.startup, total: if times > 1.0 { total.max(scan.cost.startup) } else { scan.cost.total } }
}
