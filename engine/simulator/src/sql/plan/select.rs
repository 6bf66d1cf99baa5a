//! The plan of a SELECT: what it reads, in which order, how much of it (`transformSelectStmt`,
//! src/backend/parser/analyze.c).

use super::fold::fold;
use super::from::From;
use super::joinrel::Planned;
use super::num_groups::num_groups;
use super::path::Path;
use super::query::Wanted;
use super::selectivity::Selectivity;
use super::source::{Source, SourceRows};
use super::statement::Planner;
use super::targets::TargetList;
use super::upper::upper;
use super::upper_keys::query_order;
use super::{GroupingSet, Output, OutputValue, SelectPlan, Shown};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal, Select, Target};
use crate::sql::catalog::TableInfo;
use crate::sql::catalog::looking::{PG_NODE_TREE, SEQUENCE};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Aggregate, AggregateKind, Builtin, Node, RangeEntry, RangeTable, SYSTEM, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::{SqlError, SqlType, Value};

/// `MaxTupleAttributeNumber`
const MOST_TARGETS: usize = 1664;

impl Planner<'_> {
    /// A query whose rows are sent: a relation by its name.
    pub fn top_select(&mut self, select: &Select) -> Result<SelectPlan, StatementError> {
        let mut plan = self.select(select)?;
        for target in &mut plan.targets {
            if let OutputValue::Expr(expr) = &mut target.value {
                if !self.given.explains {
                    name_relation(expr);
                }
                if expr.ty.oid == PG_NODE_TREE {
                    let message = "a value of type pg_node_tree is not supported but in pg_get_expr";
                    return Err(StatementError::unsupported(message, None));
                }
            }
        }
        Ok(plan)
    }

    pub fn select(&mut self, select: &Select) -> Result<SelectPlan, StatementError> {
        self.select_for(select, false)
    }

    /// `fills`: its rows are INSERT's, and a literal alone stays without type, as the column that INSERT gives it to
    /// decides.
    pub fn select_for(&mut self, select: &Select, fills: bool) -> Result<SelectPlan, StatementError> {
        let known = self.commons.len();
        let planned = self.with(&select.with, select.recursive, Some(select)).and_then(|()| {
            let simpler = match select.with.is_empty() {
                true => self.simpler(select),
                false => Some(self.with_inlined(select).unwrap_or_else(|| select.clone())),
            };
            match simpler {
                Some(select) => self.select_for(&Select { with: Vec::new(), ..select }, fills),
                None => match self.semi_joined(select, fills)? {
                    Some(joined) => Ok(joined),
                    None => self.query(select, fills),
                },
            }
        });
        self.commons.truncate(known);
        // what is not run where it stands may be where it is read
        let inlined = match &planned {
            Err(error) if error.error.sqlstate == NOT_SIMULATED => self.with_inlined(select),
            _ => None,
        };
        match inlined.filter(|inlined| inlined.with.is_empty()) {
            Some(inlined) => self.select_for(&inlined, fills),
            None => planned,
        }
    }

    /// The query with another one of its FROM as part of it, or with conditions in that.
    fn simpler(&mut self, select: &Select) -> Option<Select> {
        if let Some(pulled) = self.pulled_up(select) {
            self.pulled += 1;
            return Some(pulled);
        }
        self.pushed_down(select)
    }

    /// WHERE. What is wrong with the targets comes first, which `transformSelectStmt` reads before.
    fn filter_of(&mut self, select: &Select, from: &From, fills: bool) -> Result<Option<Vec<Typed>>, StatementError> {
        match self.filter(&from.range, select.filter.as_ref(), from.table.as_ref()) {
            Err(error) if error.error.sqlstate != NOT_SIMULATED => {
                self.targets(select, from, fills)?;
                Err(error)
            }
            filter => filter,
        }
    }

    pub(super) fn query(&mut self, select: &Select, fills: bool) -> Result<SelectPlan, StatementError> {
        let (whole, moved);
        let set = select.set.as_ref();
        let (mut from, select) = if select.set.is_some() || !select.values.is_empty() {
            let from = match &select.set {
                Some(set) => self.set_operation(set)?,
                None => self.values(&select.values)?,
            };
            whole =
                Select { targets: Vec::from([Target::Star(None)]), set: None, values: Vec::new(), ..select.clone() };
            (from, &whole)
        } else {
            moved = self.with_sets_in_from(select);
            let select = moved.as_ref().unwrap_or(select);
            (self.from(&select.from)?, select)
        };
        let filter = self.filter_of(select, &from, fills)?;
        let conditions = core::mem::take(&mut from.conditions);
        let mut filter = filter.map(|filter| super::equivalence::with_joins(conditions, filter));
        let is_joined = from.range.entries.len() > 1 || self.changes_rows;
        let written = filter.clone().filter(|_| is_joined).unwrap_or_default();
        if is_joined {
            filter = filter.map(super::distribute::with_constants);
        }
        self.check_catalogs(&mut from, filter.as_deref().unwrap_or(&[]))?;
        let TargetList { outputs: targets, sort, aggregates, grouping } = self.targets(select, &from, fills)?;
        set.map(|_| check_sorted_by_outputs(select)).transpose()?;
        check_count(&targets)?;
        let limit = self.count(select.limit.as_ref(), "LIMIT")?;
        let offset = self.count(select.offset.as_ref(), "OFFSET")?;
        let mut plan = SelectPlan {
            shown: from.range.entries.iter().map(Shown::of).collect(),
            entries: from.range.entries.len() + core::mem::take(&mut self.pulled),
            scan: None,
            sources: core::mem::take(&mut from.sources),
            filter: Vec::new(),
            aggregates,
            group: grouping.keys,
            grouping_sets: grouping.sets,
            grouped: grouping.grouped,
            having: grouping.having,
            distinct: grouping.distinct,
            windows: grouping.windows,
            extremes: Vec::new(),
            aggregate_order: Vec::new(),
            junk: junk(&targets, &sort),
            targets,
            sort,
            presorted: 0,
            limit,
            offset,
            locking: select.locking,
            cost: None,
            upper: None,
            join: None,
        };
        let having = if plan.grouping_sets.is_empty() { plan.having_of_rows() } else { Vec::new() };
        if let Some(known) = filter.take_if(|_| !having.is_empty()) {
            let all = known.into_iter().chain(having).collect();
            filter = self.simplified(all, &from.range, from.table.as_ref())?;
        }
        if !fills {
            self.look_up_outputs(plan.targets.iter().filter_map(|target| target.value.expr()));
        }
        check_locking(&plan, &from, set.is_some())?;
        if self.version().presorts_aggregates() && !plan.grouped && self.catalog.scans().presorted_aggregate {
            plan.aggregate_order = pathkeys(presorted(&plan.aggregates), filter.as_deref().unwrap_or(&[]));
        }
        self.choose_by(&mut plan, &from, filter, fills)?;
        self.join_as_planned(&mut plan, &from, &written)?;
        Ok(plan)
    }

    /// Chooses what is read, and what is asked of its rows; without a condition none is there.
    fn choose_by(
        &mut self,
        plan: &mut SelectPlan,
        from: &From,
        filter: Option<Vec<Typed>>,
        fills: bool,
    ) -> Result<(), StatementError> {
        match (&from.table, filter) {
            (None, None) => plan.filter = alloc::vec![Typed::constant(Value::Bool(false), SqlType::plain(16))],
            (Some(table), None) => {
                plan.scan = Some(Wanted::nothing(table).into());
                plan.sources.iter_mut().for_each(|source| source.keeps_right = None);
            }
            (None, Some(filter)) if plan.is_full_join() => plan.filter = filter,
            (None, Some(filter)) => {
                plan.filter = self.distribute(plan, from, 1.0, filter)?;
                self.group_rows(plan, from);
            }
            // what is asked of a FULL JOIN is asked of its rows, not of those of its tables
            (Some(table), Some(filter)) if plan.is_full_join() => {
                self.choose(plan, table, from, Vec::new(), fills)?;
                plan.filter.extend(filter);
            }
            (Some(table), Some(filter)) => self.choose(plan, table, from, filter, fills)?,
        }
        Ok(())
    }

    /// A join of tables is run as it is planned, where it is.
    fn join_as_planned(&mut self, plan: &mut SelectPlan, from: &From, written: &[Typed]) -> Result<(), StatementError> {
        let refused = self.refused_join.take();
        let planned = self.joins_of(plan, from, written)?;
        if let Some(Planned { join, sort, upper }) = planned {
            if plan.is_full_join() {
                // the join asks it of its rows
                plan.filter.clear();
            }
            (plan.join, plan.upper) = (Some(Arc::new(join)), upper.map(Arc::new));
            if let Some((keys, presorted)) = sort {
                (plan.sort, plan.presorted) = (keys, presorted);
            }
        }
        // what is planned is run that way; else both tables are read whole
        refused.filter(|_| plan.join.is_none()).map_or(Ok(()), Err)
    }

    /// Chooses the scan (`fills`: of rows for another table); conditions that name functions in FROM are checked after
    /// it.
    fn choose(
        &mut self,
        plan: &mut SelectPlan,
        table: &TableInfo,
        from: &From,
        filter: Vec<Typed>,
        fills: bool,
    ) -> Result<(), StatementError> {
        let width = (table.columns.len() + SYSTEM.len()) as u16;
        let of_table = |part: &Typed| !part.any(&|node| matches!(node, Node::Slot(slot) if *slot >= width));
        let (clauses, rest): (Vec<Typed>, Vec<Typed>) = filter.into_iter().partition(of_table);
        if table.has_parts() {
            return self.choose_partitions(plan, table, from, (clauses, rest), width);
        }
        let clauses = super::distribute::semi_joins(table, self.major(), clauses)?;
        let tuples = super::size::of_table(table, self.major()).tuples;
        let selectivity = Selectivity::new(table, tuples, self.catalog.input());
        let rows = (tuples * selectivity.all(&clauses.iter().collect::<Vec<_>>())).max(1.0);
        plan.filter = self.distribute(plan, from, rows, rest)?;
        let alone = plan.sources.is_empty();
        let has_series = plan.targets.iter().any(|target| matches!(target.value, OutputValue::Series(_)));
        let sorts_scan = alone && plan.aggregates.is_empty() && !has_series && !plan.is_general();
        if alone {
            plan.expect_groups(&selectivity, rows);
        }
        let has_sets = !plan.grouping_sets.is_empty();
        let groups =
            alone && !has_series && !has_sets && plan.is_general() && (plan.grouped || plan.aggregates.is_empty());
        let order = match sorts_scan {
            true => pathkeys(&plan.sort, &clauses),
            false if groups => query_order(plan, &clauses, self.major()),
            false if alone && !plan.grouped => pathkeys(&plan.aggregate_order, &clauses),
            false => Vec::new(),
        };
        let limit = limit_and_offset(plan);
        let needed = needed(plan, width);
        self.look_up_relation(table, alone && !fills);
        self.look_up_statistics(table, &clauses, &needed);
        if plan.locking.is_some() {
            self.catalog.look_up(alloc::vec![Lookup::Type(SqlType::TID.oid)]);
        }
        let table = self.with_ends(table, &clauses)?;
        let mut wanted = Wanted {
            table: &table,
            clauses,
            system: !alone || needed.iter().any(|slot| usize::from(*slot) >= table.columns.len()),
            needed: if plan.locking.is_some() { None } else { Some(needed) },
            order,
            limit: limit.filter(|_| sorts_scan || groups),
            fraction: self.fraction.filter(|_| alone && !plan.is_general() && plan.aggregates.is_empty()),
            locks: plan.locking.is_some(),
            enabled: self.catalog.scans(),
            input: self.catalog.input(),
            looked_up: None,
        };
        let mut operators = wanted.operators(&orders(plan));
        let grouped = if groups { upper(&wanted, plan, &wanted.scans()) } else { None };
        if groups && grouped.is_none() {
            (wanted.order, wanted.limit) = (Vec::new(), None);
        }
        let (path, cost) = match grouped {
            Some((path, upper)) => {
                plan.upper = Some(Arc::new(upper));
                (path.clone(), path.cost)
            }
            None => wanted.best(),
        };
        plan.cost = sorts_scan.then_some(cost);
        plan.keep_order(&wanted, &path, (alone, sorts_scan));
        let scan = wanted.scan_of(path);
        operators.extend(wanted.supports(&scan));
        self.catalog.look_up(operators);
        plan.scan = Some(scan.into());
        Ok(())
    }

    /// The same of a table with partitions or children.
    fn choose_partitions(
        &mut self,
        plan: &mut SelectPlan,
        table: &TableInfo,
        from: &From,
        (clauses, rest): (Vec<Typed>, Vec<Typed>),
        width: u16,
    ) -> Result<(), StatementError> {
        // how many rows there are is asked before it is known which columns are needed
        let rows = self.append(table, clauses.clone(), None, plan.sources.is_empty())?.rows;
        plan.filter = self.distribute(plan, from, rows, rest)?;
        let needed = needed(plan, width);
        plan.scan = Some(self.append_of(plan, table, clauses, needed)?.into());
        Ok(())
    }

    fn count(&mut self, expr: Option<&Expr>, clause: &'static str) -> Result<Option<Typed>, StatementError> {
        let Some(expr) = expr else { return Ok(None) };
        let range = RangeTable::default();
        let count = self.analyze(&range, clause, |analyzer| analyzer.bigint(expr))?;
        Ok(Some(fold(count, self.catalog.input())?))
    }
}

/// `transformSetOperationStmt`
fn check_sorted_by_outputs(select: &Select) -> Result<(), StatementError> {
    if select.order_by.iter().all(|by| is_output(&by.expr)) {
        return Ok(());
    }
    let error = SqlError::new("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause");
    Err(error.with_detail("Only result column names can be used, not expressions or functions.").into())
}

/// Is what a set operation is sorted by one of its columns, by name or number?
fn is_output(expr: &Expr) -> bool {
    matches!(expr.node, ExprNode::Column { table: None, .. } | ExprNode::Literal(Literal::Number(_)))
}

impl Shown {
    fn of(entry: &RangeEntry) -> Self {
        let columns = entry.columns.iter().filter(|_| entry.relation.is_none()).map(|column| column.name.clone());
        Self { name: entry.name.clone(), columns: columns.collect() }
    }
}

impl SelectPlan {
    /// Is it a FULL JOIN, whose rows are made of all rows of two items?
    #[must_use]
    pub fn is_full_join(&self) -> bool {
        self.sources.last().is_some_and(|source| source.keeps_right.is_some())
    }

    /// How many groups each grouping set makes of so many rows of the table.
    pub(super) fn expect_groups(&mut self, selectivity: &Selectivity<'_>, rows: f64) {
        let expected = |set: &GroupingSet| {
            let keys: Vec<&Typed> = set.keys.iter().map(|n| &self.group[*n]).collect();
            num_groups(&keys, selectivity, rows, rows)
        };
        let all: Vec<f64> = self.grouping_sets.iter().map(expected).collect();
        self.grouping_sets.iter_mut().zip(all).for_each(|(set, expected)| set.expected = Some(expected));
    }

    /// What the order of the scan saves: sorts, and aggregates that are the first of an index. `alone`: nothing else is
    /// in FROM, and the rows of the scan are sorted.
    fn keep_order(&mut self, wanted: &Wanted<'_>, path: &Path, (alone, sorts_scan): (bool, bool)) {
        let presorted = path.ordered;
        let is_sorted = presorted == wanted.order.len();
        if alone
            && !self.aggregates.is_empty()
            && !self.is_general()
            && let Some(extremes) = wanted.extremes(&self.aggregates, path)
        {
            self.extremes = extremes;
        }
        if !self.aggregates.is_empty() && !self.grouped {
            self.presorted = presorted;
            if alone && is_sorted || !self.extremes.is_empty() {
                self.aggregate_order.clear();
            }
        }
        if sorts_scan && is_sorted {
            self.sort.clear();
        } else if sorts_scan {
            self.sort = wanted.order.clone();
            self.presorted = presorted;
        }
    }
}

fn check_count(targets: &[Output]) -> Result<(), StatementError> {
    if targets.len() <= MOST_TARGETS {
        return Ok(());
    }
    Err(StatementError::server("54011", format!("target lists can have at most {MOST_TARGETS} entries")))
}

/// A value that is sent: a relation by its name.
pub(super) fn name_relation(expr: &mut Typed) {
    let output = match expr.ty.oid {
        2205 => const { Builtin::of("regclassout") },
        2206 => const { Builtin::of("regtypeout") },
        4089 => const { Builtin::of("regnamespaceout") },
        24 => const { Builtin::of("regprocout") },
        2202 => const { Builtin::of("regprocedureout") },
        _ => return,
    };
    *expr = Typed { node: Node::Call(output, alloc::vec![expr.clone()]), ty: SqlType::TEXT };
}

/// What rows are sorted by that is no column of theirs, each once.
fn junk(targets: &[Output], sort: &[SortKey]) -> Vec<Typed> {
    let mut junk: Vec<Typed> = Vec::new();
    for SortKey { expr, .. } in sort {
        if !junk.contains(expr) && !targets.iter().any(|target| target.value.expr() == Some(expr)) {
            junk.push(expr.clone());
        }
    }
    junk
}

/// `make_pathkeys_for_sortclauses`: without keys of which a condition leaves one value, and those that are sorted by
/// already, in whichever direction (`pathkey_is_redundant`).
pub(super) fn pathkeys(keys: &[SortKey], clauses: &[Typed]) -> Vec<SortKey> {
    let is_redundant = |n: usize, key: &SortKey| {
        keys[..n].iter().any(|before| before.expr.node == key.expr.node)
            || clauses.iter().any(|clause| super::path::fixes(clause, &key.expr))
    };
    keys.iter().enumerate().filter(|(n, key)| !is_redundant(*n, key)).map(|(_, key)| key.clone()).collect()
}

/// `adjust_group_pathkeys_for_groupagg`: from 16 on rows come in the order that most aggregates ask for; one that
/// begins with another's keys serves that one too.
pub(super) fn presorted(aggregates: &[Aggregate]) -> &[SortKey] {
    let mut left: Vec<&[SortKey]> = aggregates.iter().map(|aggregate| &aggregate.order[..]).collect();
    left.retain(|order| !order.is_empty());
    let (mut best, mut most): (&[SortKey], usize) = (&[], 0);
    while let Some(first) = left.first().copied() {
        let (mut longest, before) = (first, left.len());
        left.retain(|order| {
            if order.starts_with(longest) {
                longest = order;
            }
            !longest.starts_with(order)
        });
        if before - left.len() > most {
            (best, most) = (longest, before - left.len());
        }
    }
    best
}

/// The columns of the table that the query reads above its scan.
pub(super) fn needed(plan: &SelectPlan, width: u16) -> Vec<u16> {
    let mut slots = read(plan, width);
    slots.retain(|slot| *slot < width);
    slots
}

/// The columns of an item of FROM that the query reads, from 0.
pub(super) fn needed_between(plan: &SelectPlan, span: &Range<u16>) -> Vec<u16> {
    let mut slots = read(plan, span.end);
    slots.retain(|slot| span.contains(slot));
    slots.into_iter().map(|slot| slot - span.start).collect()
}

pub(super) fn read(plan: &SelectPlan, width: u16) -> Vec<u16> {
    let mut slots = Vec::new();
    for output in &plan.targets {
        match &output.value {
            OutputValue::Expr(expr) => expr.slots(&mut slots),
            OutputValue::Series(series) => {
                series.args.iter().chain(series.over.as_deref()).for_each(|arg| arg.slots(&mut slots));
            }
        }
    }
    plan.sort.iter().for_each(|key| key.expr.slots(&mut slots));
    let aggregates = plan.aggregates.iter();
    let args = aggregates.clone().flat_map(|aggregate| aggregate.args.iter().chain(&aggregate.filter));
    let sources = plan.sources.iter();
    let of_sources = sources.flat_map(|source| source.args().iter().chain(&source.on).chain(&source.filter));
    let windows = plan.windows.iter().flat_map(|call| {
        call.args.iter().chain(&call.filter).chain(&call.partition).chain(call.order.iter().map(|key| &key.expr))
    });
    let grouping = plan.group.iter().chain(&plan.having).chain(plan.distinct.iter().flatten()).chain(windows);
    // what comes out is named before conditions
    plan.filter.iter().chain(args).chain(grouping).chain(of_sources).for_each(|part| part.slots(&mut slots));
    aggregates.flat_map(|aggregate| &aggregate.order).for_each(|key| key.expr.slots(&mut slots));
    // a query in FROM that reads what stands before it may read anything
    if plan.sources.iter().any(|source| source.lateral && matches!(source.rows, SourceRows::Query(_))) {
        slots.extend(0..width);
    }
    slots
}

/// The orders that a query asks for: ORDER BY, and those whose first row min and max are.
pub(super) fn orders(plan: &SelectPlan) -> Vec<SortKey> {
    let of_aggregate = |aggregate: &Aggregate| {
        let descending = match aggregate.kind {
            AggregateKind::Min if aggregate.order.is_empty() => false,
            AggregateKind::Max if aggregate.order.is_empty() => true,
            _ => return None,
        };
        let expr = aggregate.args.first()?.clone();
        Some(SortKey { expr, descending, nulls_first: descending })
    };
    let ends: Option<Vec<SortKey>> = plan.aggregates.iter().map(of_aggregate).collect();
    plan.sort.iter().cloned().chain(ends.into_iter().flatten()).collect()
}

/// Rows are locked of one table, as they are there.
fn check_locking(plan: &SelectPlan, from: &From, is_set: bool) -> Result<(), StatementError> {
    let Some(locking) = plan.locking else { return Ok(()) };
    let with = if is_set {
        "UNION/INTERSECT/EXCEPT"
    } else if plan.distinct.is_some() {
        "DISTINCT clause"
    } else if !plan.group.is_empty() {
        "GROUP BY clause"
    } else if !plan.having.is_empty() {
        "HAVING clause"
    } else if !plan.aggregates.is_empty() {
        "aggregate functions"
    } else if !from.tables.is_empty() {
        return Err(StatementError::unsupported("FOR UPDATE of several tables is not supported", None));
    } else if let Some(table) = from.table.as_ref().filter(|table| table.is_toast) {
        // `CheckValidRowMarkRel`
        let message = format!("cannot lock rows in TOAST relation \"{}\"", table.name);
        return Err(StatementError::server("42809", message));
    } else if let [Source { rows: SourceRows::Function(SEQUENCE, _), .. }] = &plan.sources[..] {
        let name = from.range.entries.first().map_or("", |entry| &entry.name);
        return Err(StatementError::server("42809", format!("cannot lock rows in sequence \"{name}\"")));
    } else {
        return Ok(());
    };
    Err(StatementError::server("0A000", format!("{} is not allowed with {with}", locking.strength.words())))
}

/// The numbers of LIMIT and OFFSET; `None` where they are not known while the statement is planned.
pub(super) fn limit_and_offset(plan: &SelectPlan) -> Option<(f64, f64)> {
    match (Wanted::limit_value(plan.limit.as_ref()), Wanted::limit_value(plan.offset.as_ref())) {
        (None, skip) if plan.limit.is_some() || skip.is_none() => None,
        (count, skip) => Some((count.unwrap_or(f64::MAX), skip.unwrap_or(0.0).max(0.0))),
    }
}
