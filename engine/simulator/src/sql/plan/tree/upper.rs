//! Nodes above a scan whose rows are grouped, as EXPLAIN prints them (`show_agg_keys`, `show_upper_qual`,
//! src/backend/commands/explain.c; `get_agg_expr`, src/backend/utils/adt/ruleutils.c).
//!
//! ```text
//!  HashAggregate
//!    Group Key: b                 what the node below computes stands there as it is, of a Sort in parentheses
//!    Filter: (count(*) > 5)
//! ```

use super::actual::Actual;
use super::figures::Figures;
use super::format::Shape;
use super::output::Level;
use super::{Explained, Tree};
use crate::sql::expr::{Aggregate, AggregateKind, Node, SortKey, SubPlan, Typed, WindowFunction};
use crate::sql::plan::{SelectPlan, Step, StepNode, Upper};
use crate::sql::ruleutils::{Names, Prefixed, rule};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::PgVersion;

/// Names within a query whose rows are grouped.
struct OfGroups<'a> {
    explained: &'a Explained<'a>,
    table: &'a dyn Names,
    select: &'a SelectPlan,
}

impl Names for OfGroups<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        self.table.column(slot, ty)
    }

    fn query(&self, sub: &SubPlan) -> Option<String> {
        self.table.query(sub)
    }

    fn aggregate(&self, number: u16, _: SqlType) -> Option<String> {
        let aggregates = &self.select.aggregates;
        match aggregates.get(usize::from(number)) {
            Some(aggregate) => call(aggregate, self.table),
            None => {
                let at = usize::from(number) - aggregates.len();
                if let Some(n) = at.checked_sub(self.select.group.len()) {
                    return self.window(n);
                }
                let key = self.select.group.get(at)?;
                let text = rule(key, self.table)?;
                Some(if matches!(key.node, Node::Slot(_)) { text } else { format!("({text})") })
            }
        }
    }
}

impl OfGroups<'_> {
    /// `get_windowfunc_expr`
    fn window(&self, number: usize) -> Option<String> {
        let over = self.explained.over_window(self.select, number).filter(|_| self.select.grouping_sets.is_empty())?;
        let window = self.select.windows.get(number)?;
        let name = match &window.function {
            WindowFunction::Aggregate(aggregate) => {
                let aggregate = Aggregate { filter: window.filter.clone(), ..aggregate.clone() };
                return Some(format!("{} {over}", call(&aggregate, self)?));
            }
            WindowFunction::RowNumber => "row_number",
            WindowFunction::Rank => "rank",
            WindowFunction::DenseRank => "dense_rank",
            WindowFunction::PercentRank => "percent_rank",
            WindowFunction::CumeDist => "cume_dist",
            WindowFunction::Ntile => "ntile",
            WindowFunction::Lag => "lag",
            WindowFunction::Lead => "lead",
            WindowFunction::FirstValue => "first_value",
            WindowFunction::LastValue => "last_value",
            WindowFunction::NthValue => "nth_value",
        };
        let args = window.args.iter().map(|arg| rule(arg, self)).collect::<Option<Vec<_>>>()?;
        Some(format!("{name}({}) {over}", args.join(", ")))
    }
}

/// Names above a scan: those of a query in FROM have the table's name, as there are other tables.
struct Above<'a>(&'a Explained<'a>);

impl Names for Above<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        match self.0.table.filter(|_| self.0.subquery.is_some() || self.0.has_prefixes) {
            Some(table) => Prefixed(table, self.0.alias.unwrap_or(&table.name)).column(slot, ty),
            _ => self.0.column(slot, ty),
        }
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.0.is_of_domain(slot)
    }

    fn query(&self, sub: &SubPlan) -> Option<String> {
        self.0.query(sub)
    }
}

/// `get_agg_expr`
fn call(aggregate: &Aggregate, names: &dyn Names) -> Option<String> {
    let name = match aggregate.kind {
        AggregateKind::Count => "count",
        AggregateKind::Sum => "sum",
        AggregateKind::Min => "min",
        AggregateKind::Max => "max",
        AggregateKind::Avg => "avg",
        AggregateKind::BoolOr => "bool_or",
        AggregateKind::StringAgg => "string_agg",
        AggregateKind::ArrayAgg => "array_agg",
        _ => return None,
    };
    let args = aggregate.args.iter().map(|arg| rule(arg, names)).collect::<Option<Vec<_>>>()?;
    let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
    let mut text = if args.is_empty() { "*".to_string() } else { format!("{distinct}{}", args.join(", ")) };
    if aggregate.asks_order {
        let keys = aggregate.order.iter().map(|key| Some(rule(&key.expr, names)? + direction(key)));
        text += &format!(" ORDER BY {}", keys.collect::<Option<Vec<_>>>()?.join(", "));
    }
    let mut text = format!("{name}({text})");
    if let Some(filter) = &aggregate.filter {
        text += &format!(" FILTER (WHERE {})", rule(filter, names)?);
    }
    Some(text)
}

/// `show_sortorder_options`
pub(super) const fn direction(key: &SortKey) -> &'static str {
    match (key.descending, key.nulls_first) {
        (false, true) => " NULLS FIRST",
        (true, true) => " DESC",
        (true, false) => " DESC NULLS LAST",
        (false, false) => "",
    }
}

impl Explained<'_> {
    /// A query whose rows are grouped or made distinct.
    pub(super) fn upper(&self, select: &SelectPlan, upper: &Upper) -> Option<Tree> {
        let reads: Vec<&Typed> = upper.input.iter().collect();
        let scan = select.scan.as_ref()?;
        let mut tree = self.with_input(self.scan_for(scan, false, &reads)?, scan, upper, select)?;
        let is_grouping = |node: &StepNode| {
            matches!(node, StepNode::Hashed(..) | StepNode::Sorted(_) | StepNode::Group(_) | StepNode::Plain)
        };
        let mut is_grouped = false;
        for (n, step) in upper.steps.iter().enumerate() {
            let is_scan = n == 0;
            let actual = actual_of(&upper.steps, n, select);
            tree = self.step(tree, step, select, (is_scan, &Above(self)))?.counted(actual);
            let level = if is_grouping(&step.node) { Level::Scan } else { Level::Above };
            is_grouped |= level == Level::Scan;
            tree = match is_grouped {
                _ if step.node == StepNode::Result && self.schema.is_some() => return None,
                true => self.with_aggregates(tree, select, level)?,
                false => self.with_output(tree, &reads, level, self.table?)?,
            };
        }
        Some(tree)
    }

    /// What comes out of groups.
    pub(super) fn with_aggregates(&self, tree: Tree, select: &SelectPlan, level: Level) -> Option<Tree> {
        let Some(_) = self.schema else { return Some(tree) };
        let table = self.table?;
        let names = OfGroups { explained: self, table, select };
        let outputs = select.targets.iter().filter_map(|target| target.value.expr()).chain(&select.junk);
        let text = |expr: &Typed| {
            let is_column = matches!(select.over_rows(expr).node, Node::Slot(_));
            let text = rule(expr, &names)?;
            // the key of a group has its parentheses already
            let is_key = text.starts_with('(') && matches!(expr.node, Node::Aggregate(_));
            Some(if level == Level::Scan || is_column || is_key { text } else { format!("({text})") })
        };
        Some(tree.giving(outputs.map(text).collect::<Option<Vec<String>>>()?))
    }

    /// The same above a join.
    pub(super) fn above_join(
        &self,
        mut tree: Tree,
        select: &SelectPlan,
        upper: &Upper,
        names: &dyn Names,
    ) -> Option<Tree> {
        for (n, step) in upper.steps.iter().enumerate() {
            let actual = actual_of(&upper.steps, n, select);
            tree = self.step(tree, step, select, (n == 0, names))?.counted(actual);
        }
        Some(tree)
    }

    /// `below`: the node below it; is that the scan, and what are its columns called?
    fn step(
        &self,
        below: Tree,
        step: &Step,
        select: &SelectPlan,
        (is_scan, table): (bool, &dyn Names),
    ) -> Option<Tree> {
        let names = OfGroups { explained: self, table, select };
        let below_line = below.line.clone();
        let is_plain = is_scan || below.line == "HashAggregate" || below.line == "GroupAggregate";
        let key = |expr: &Typed, is_plain: bool| {
            let text = rule(expr, &names)?;
            Some(if is_plain || matches!(expr.node, Node::Slot(_)) { text } else { format!("({text})") })
        };
        let is_below = |expr: &Typed| is_plain || below_line == "WindowAgg" && self.is_of_last_window(select, expr);
        let keys = |exprs: &[Typed]| exprs.iter().map(|expr| key(expr, is_below(expr))).collect::<Option<Vec<_>>>();
        let sort = |by: &[SortKey], is_told: bool| {
            let keys = by.iter().map(|by| Some(key(&by.expr, false)? + if is_told { direction(by) } else { "" }));
            keys.collect::<Option<Vec<_>>>()
        };
        let line = match &step.node {
            StepNode::Sort(_, 0) => "Sort",
            StepNode::Sort(..) => "Incremental Sort",
            StepNode::Hashed(..) | StepNode::Distinct(..) => "HashAggregate",
            StepNode::Sorted(_) => "GroupAggregate",
            StepNode::Group(_) => "Group",
            StepNode::Plain => "Aggregate",
            StepNode::Unique => "Unique",
            StepNode::Result => "Result",
            StepNode::Window(_) if self.schema.is_some() => return None,
            StepNode::Window(_) => "WindowAgg",
            StepNode::Limit => "Limit",
        };
        let mut tree = Tree::over(line, below);
        tree.shape = match &step.node {
            StepNode::Hashed(..) | StepNode::Distinct(..) => Some(Shape::aggregate("Hashed")),
            StepNode::Sorted(_) => Some(Shape::aggregate("Sorted")),
            StepNode::Plain => Some(Shape::aggregate("Plain")),
            _ => None,
        };
        tree.told.extend(self.disabled(!step.disabled));
        match &step.node {
            StepNode::Sort(by, presorted) => {
                tree.tell_all("Sort Key", sort(by, true)?);
                if *presorted > 0 {
                    tree.tell_all("Presorted Key", sort(&by[..*presorted], false)?);
                }
            }
            StepNode::Hashed(exprs, _)
            | StepNode::Distinct(exprs, _)
            | StepNode::Sorted(exprs)
            | StepNode::Group(exprs) => {
                if !exprs.is_empty() {
                    tree.tell_all("Group Key", keys(exprs)?);
                }
            }
            StepNode::Window(n) if PgVersion::of_major(self.major).tells_windows() => {
                tree.tell("Window", self.window(select, *n, &names)?);
            }
            StepNode::Plain | StepNode::Unique | StepNode::Result | StepNode::Limit | StepNode::Window(_) => {}
        }
        let is_grouping =
            matches!(step.node, StepNode::Hashed(..) | StepNode::Sorted(_) | StepNode::Group(_) | StepNode::Plain);
        if is_grouping && !select.having.is_empty() {
            let parts: Vec<&Typed> = select.having.iter().collect();
            tree.tell("Filter", super::joined(&parts, " AND ", &names)?);
        }
        let Step { cost, rows, width, .. } = *step;
        Some(tree.costing(Some(Figures { cost, rows, width })))
    }

    /// Is it computed by the last window: no result of another, and nothing that is there before windows?
    fn is_of_last_window(&self, select: &SelectPlan, expr: &Typed) -> bool {
        let version = PgVersion::of_major(self.major);
        match (select.window_number(expr), select.active_windows(version).last()) {
            (Some(call), Some(last)) => last.calls.contains(&call),
            _ => !select.window_input(version).iter().any(|known| known.node == expr.node),
        }
    }

    /// What rows are sorted by, with the names that aggregates have.
    pub(super) fn sort_key(&self, key: &SortKey, select: &SelectPlan) -> Option<String> {
        let above = Above(self);
        let names = OfGroups { explained: self, table: &above, select };
        rule(&key.expr, &names)
    }
}

/// What counts the rows of a step. All rows are read before the first group comes out; where a server would not, it is
/// not known.
fn actual_of(steps: &[Step], n: usize, select: &SelectPlan) -> Actual {
    let reads_all =
        |step: &Step| matches!(step.node, StepNode::Sort(_, 0) | StepNode::Hashed(..) | StepNode::Distinct(..));
    let limit = steps.iter().any(|step| step.node == StepNode::Limit);
    let is_cut = limit && !steps[n + 1..].iter().any(reads_all);
    let is_streaming = limit && !steps.iter().any(reads_all);
    let last = |node: &StepNode| matches!(node, StepNode::Unique | StepNode::Distinct(..));
    let groups_alone = !steps.iter().any(|step| last(&step.node));
    match &steps[n].node {
        _ if is_streaming => Actual::Unknown,
        // their states are in memory of their own
        StepNode::Hashed(..) if select.aggregates.iter().any(has_context) => Actual::Unknown,
        StepNode::Hashed(..) if !is_cut || select.having.is_empty() => Actual::Groups { is_cut, is_hashed: true },
        StepNode::Sorted(_) | StepNode::Group(_) if !is_cut => Actual::Groups { is_cut, is_hashed: false },
        StepNode::Plain => Actual::Groups { is_cut: false, is_hashed: false },
        StepNode::Distinct(..) if !select.grouped => Actual::Distinct { is_cut, is_hashed: true },
        StepNode::Unique if !is_cut && !select.grouped => Actual::Distinct { is_cut, is_hashed: false },
        StepNode::Sort(_, 0)
            if n > 0 && groups_alone && !steps[..n].iter().any(|step| matches!(step.node, StepNode::Sort(..))) =>
        {
            Actual::SortedGroups
        }
        StepNode::Limit => Actual::Returned,
        _ => Actual::Unknown,
    }
}

const fn has_context(aggregate: &Aggregate) -> bool {
    matches!(aggregate.kind, AggregateKind::ArrayAgg | AggregateKind::StringAgg | AggregateKind::JsonAgg(..))
}
