//! What EXPLAIN says behind a node, `(cost=0.00..35.50 rows=2550 width=4)`: `cost_agg`, `cost_group_result`,
//! `cost_valuesscan` (src/backend/optimizer/path/costsize.c), `set_pathtarget_width`, `create_minmaxagg_path`
//! (src/backend/optimizer/util/pathnode.c). The planner has costs of scans; here are those of what stands above them,
//! and the widths, by which no plan is chosen.
//!
//! What is not known for certain has none, and a plan with such a node is refused.

use super::{Actual, Explained, Tree};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{ColumnSource, TableInfo};
use crate::sql::expr::{Node, Typed, is_range};
use crate::sql::plan::aggregate_cost::AggregateCost;
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE, quals};
use crate::sql::plan::pattern::Pattern;
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{clamp, of_table, typavgwidth, width_of};
use crate::sql::plan::{Bitmap, Cost, Scan, SelectPlan, UpdatePlan, query};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::PgVersion;

/// What a node costs, how many rows it gives, how wide they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub cost: Cost,
    pub rows: f64,
    pub width: u32,
}

impl Figures {
    pub fn text(&self) -> String {
        let Self { cost, rows, width } = self;
        format!("  (cost={:.2}..{:.2} rows={rows:.0} width={width})", cost.startup, cost.total)
    }

    /// One row of these, as they are computed.
    pub fn row(exprs: &[&Typed], major: u32) -> Option<Self> {
        let each = target_cost(exprs, major)?;
        let cost = Cost { startup: each.startup, total: each.startup + CPU_TUPLE + each.total };
        exprs.iter().all(|expr| has_width(expr, major)).then_some(Self {
            cost,
            rows: 1.0,
            width: exprs.iter().map(|expr| typavgwidth(expr.ty)).sum(),
        })
    }

    /// `cost_valuesscan`; what is computed there counts as one operator.
    pub fn values(rows: &[Vec<Typed>], major: u32) -> Option<Self> {
        let count = rows.len() as f64;
        let is_constant = |expr: &Typed| matches!(expr.node, Node::Const(_)) && has_width(expr, major);
        let width = rows.first()?.iter().map(|expr| typavgwidth(expr.ty)).sum();
        let cost = Cost { startup: 0.0, total: (CPU_TUPLE + CPU_OPERATOR) * count };
        rows.iter().flatten().all(is_constant).then_some(Self { cost, rows: count, width })
    }
}

impl Tree {
    /// With these figures; none: they are not known.
    pub(super) fn costing(mut self, figures: Option<Figures>) -> Self {
        self.figures = figures;
        self
    }

    /// What stands below costs so much more a row, or as it is.
    pub fn with_rows_at(self, cost: f64) -> Self {
        let figures = self.below.first().and_then(|below| below.figures).map(|mut figures| {
            figures.cost.total += cost * figures.rows;
            figures
        });
        self.costing(figures)
    }

    /// `create_modifytable_path`: before 14 with the rows that it changes. Triggers are told of when it has run, and
    /// what came of ON CONFLICT.
    pub fn modifying(self, explained: &Explained<'_>, returns: bool) -> Self {
        let mut tree = self.with_rows_at(0.0);
        let is_late = PgVersion::of_major(explained.major).updates_by_column();
        if let Some(figures) = &mut tree.figures {
            let is_told = if is_late { returns } else { figures.rows > 0.0 };
            (figures.rows, figures.width) = if is_told { (figures.rows, figures.width) } else { (0.0, 0) };
        }
        let has_more = explained.conflict.is_some() || explained.table.is_none_or(|table| table.has_triggers);
        if !has_more {
            tree.actual = Actual::Modify(returns);
        }
        tree
    }
}

impl Explained<'_> {
    /// The scan's own figures, before anything is computed of its rows, which have no width yet.
    pub(super) fn scan_figures(&self, scan: &Scan) -> Option<Figures> {
        // equal to a column of another table: that column's value is any
        let is_of_other = |clause: &Typed| self.around.is_some() && clause.any(&|node| matches!(node, Node::Outer(..)));
        let is_certain = scan.filter.iter().all(|clause| is_of_other(clause) || is_estimated(clause, self.table));
        is_certain.then_some(Figures { cost: scan.cost, rows: scan.rows, width: 0 })
    }

    /// The node that makes a bitmap; and its cost and share of the rows within others (`cost_bitmap_tree_node`).
    pub(super) fn bitmap_figures(&self, bitmap: &Bitmap, scan: &Scan) -> Option<(Figures, f64, f64)> {
        let tuples = of_table(self.table?, self.major).tuples;
        let figures = |cost, share: f64| Figures { cost, rows: clamp(share * tuples), width: 0 };
        let (parts, is_and) = match bitmap {
            Bitmap::Index(index) => {
                let (total, share) = (index.alone.cost.total, index.alone.selectivity);
                let own = figures(Cost { startup: 0.0, total }, share);
                return Some((own, total + 0.1 * CPU_OPERATOR * scan.rows, share));
            }
            Bitmap::And(parts) => (parts, true),
            Bitmap::Or(parts) => (parts, false),
        };
        let (mut cost, mut share) = (0.0, if is_and { 1.0 } else { 0.0 });
        for (n, part) in parts.iter().enumerate() {
            let (_, its_cost, its_share) = self.bitmap_figures(part, scan)?;
            let joins = n > 0 && (is_and || !matches!(part, Bitmap::Index(_)));
            cost += its_cost + if joins { 100.0 * CPU_OPERATOR } else { 0.0 };
            share = if is_and { share * its_share } else { share + its_share };
        }
        let share = if is_and { share } else { share.min(1.0) };
        Some((figures(Cost { startup: cost, total: cost }, share), cost, share))
    }

    /// `create_projection_path`: what is computed of each row of a scan, and how wide that is. Of no rows nothing is.
    pub(super) fn project(&self, figures: Figures, exprs: &[&Typed]) -> Option<Figures> {
        let each = target_cost(exprs, self.major)?;
        let Cost { startup, total } = figures.cost;
        let cost = Cost { startup: startup + each.startup, total: total + each.startup + each.total * figures.rows };
        Some(Figures { cost, width: self.width(exprs)?, ..figures })
    }

    /// The same of no rows: nothing is known of their columns (`set_dummy_rel_pathlist`), but where something is
    /// computed each has the width of its type.
    pub(super) fn project_nothing(&self, figures: Figures, exprs: &[&Typed]) -> Option<Figures> {
        let is_column = |expr: &&&Typed| matches!(expr.node, Node::Slot(_)) || expr.ty == SqlType::TID;
        if exprs.iter().all(|expr| is_column(&expr)) {
            return Some(figures);
        }
        target_cost(exprs, self.major)?;
        Some(Figures { width: exprs.iter().map(|expr| typavgwidth(expr.ty)).sum(), ..figures })
    }

    /// `set_pathtarget_width`
    fn width(&self, exprs: &[&Typed]) -> Option<u32> {
        exprs.iter().map(|expr| self.width_of(expr)).sum()
    }

    fn width_of(&self, expr: &Typed) -> Option<u32> {
        if !matches!(expr.node, Node::Slot(_)) {
            return Some(typavgwidth(expr.ty));
        }
        self.table.map(|table| width_of(expr, table))
    }

    /// The rows that UPDATE makes of those that it finds: before 14 whole ones.
    pub(super) fn update_targets(&self, update: &UpdatePlan) -> Option<Vec<Typed>> {
        let table = self.table?;
        let set = |n: u16| update.set.iter().find(|set| set.column == n).map(|set| set.value.clone());
        let whole = !PgVersion::of_major(self.major).updates_by_column();
        if table.columns.iter().any(|column| column.source == ColumnSource::Generated) {
            return None;
        }
        let each = (0_u16..).zip(&table.columns).filter_map(|(n, column)| {
            let kept = match column.attribute.dropped {
                true => Typed::constant(Value::Null, SqlType::INT4),
                false => Typed { node: Node::Slot(n), ty: column.ty() },
            };
            set(n).or_else(|| whole.then_some(kept))
        });
        Some(each.chain([Typed::constant(Value::Null, SqlType::TID)]).collect())
    }

    /// `cost_agg` of all rows.
    pub(super) fn aggregated(&self, below: Option<Figures>, select: &SelectPlan) -> Option<Figures> {
        let Figures { cost, rows, .. } = below?;
        let AggregateCost { once, each, last, .. } = AggregateCost::of(select, self.major)?;
        let (exprs, target) = self.outputs(select)?;
        let startup = cost.total + once + each * rows + last + target.startup;
        let cost = Cost { startup, total: startup + CPU_TUPLE + target.total };
        Some(Figures { cost, rows: 1.0, width: exprs })
    }

    /// What min and max cost that are the first of an index each.
    pub(super) fn first_rows(&self, init: f64, select: &SelectPlan) -> Option<Figures> {
        let (width, target) = self.outputs(select)?;
        let startup = init + target.startup;
        Some(Figures { cost: Cost { startup, total: startup + CPU_TUPLE + target.total }, rows: 1.0, width })
    }

    /// How wide the rows are that come out, and what they cost.
    fn outputs(&self, select: &SelectPlan) -> Option<(u32, Cost)> {
        let exprs = select.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
        let exprs: Vec<&Typed> = exprs.into_iter().chain(&select.junk).collect();
        Some((self.width(&exprs)?, target_cost(&exprs, self.major)?))
    }

    /// `create_limit_path`
    pub(super) fn limited(below: Option<Figures>, select: &SelectPlan) -> Option<Figures> {
        let below = below?;
        let (cost, rows) = query::limited(below.cost, below.rows, limit_and_offset(select)?);
        Some(Figures { cost, rows, ..below })
    }
}

/// What computing these costs: once, and for each row; `None` where there is a query, or what has a cost of its own.
pub(super) fn target_cost(exprs: &[&Typed], major: u32) -> Option<Cost> {
    // one that is run once is a value here
    let is_unknown = |node: &Node| match node {
        Node::Query(sub) => !sub.is_init(),
        node => matches!(node, Node::AnyElement(..) | Node::Outer(..)),
    };
    (!exprs.iter().any(|expr| expr.any(&is_unknown))).then(|| quals(exprs.iter().copied(), major))
}

/// Is it known how wide it is? Before 14 a NULL is of the width of its type where nothing is given for the column, and
/// of that of the column where it is given.
pub(super) fn has_width(expr: &Typed, major: u32) -> bool {
    let is_null = matches!(expr.node, Node::Const(Value::Null));
    !is_null || expr.ty.typmod < 0 || PgVersion::of_major(major).updates_by_column()
}

/// Is it known which share of the rows the condition leaves?
fn is_estimated(clause: &Typed, table: Option<&TableInfo>) -> bool {
    let has_stats = |expr: &Typed| table.is_none_or(|table| table.stats.iter().any(|(known, _)| *known == expr.node));
    match &clause.node {
        Node::Const(_) | Node::Slot(_) => true,
        Node::And(list) | Node::Or(list) => list.iter().all(|part| is_estimated(part, table)),
        Node::Not(inner) => is_estimated(inner, table),
        Node::IsNull(inner, _) => is_plain(inner),
        Node::Binary(op, operands) => {
            let is_comparison =
                matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
            let is_ranges = is_range(operands.0.ty.oid) && !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            let is_known = !is_ranges || !has_stats(&operands.0) && !has_stats(&operands.1);
            is_comparison && is_known && is_comparable(&operands.0, &operands.1, &has_stats)
        }
        Node::Call(_, args) if args.iter().any(|arg| is_range(arg.ty.oid)) => {
            args.iter().all(|arg| is_plain(arg) && !has_stats(arg))
        }
        Node::Call(..) => Pattern::of(clause).is_some_and(|pattern| is_plain(pattern.variable)),
        Node::Rows(_, pairs) => pairs.first().is_some_and(|(left, right)| is_comparable(left, right, &has_stats)),
        Node::AnyOf(left, list, _) => list.iter().all(|item| is_comparable(left, item, &has_stats)),
        _ => false,
    }
}

/// A value that statistics are asked for has to be known, and to be of the column's type.
fn is_comparable(left: &Typed, right: &Typed, has_stats: &impl Fn(&Typed) -> bool) -> bool {
    let (variable, other) = if left.is_pseudo_constant() { (right, left) } else { (left, right) };
    let is_integer = |expr: &Typed| matches!(expr.ty.oid, 20 | 21 | 23);
    let is_same = variable.ty.oid == other.ty.oid || is_integer(variable) && is_integer(other);
    if matches!(&other.node, Node::Query(sub) if sub.is_init()) {
        return is_plain(variable) && is_same;
    }
    let is_value = matches!(other.node, Node::Const(_) | Node::Param(_)) && is_same;
    is_plain(left) && is_plain(right) && (is_value || !other.is_pseudo_constant() || !has_stats(variable))
}

fn is_plain(expr: &Typed) -> bool {
    !expr.any(&|node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..)))
}
