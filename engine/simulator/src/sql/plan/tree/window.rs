//! Window functions, functions with rows among the targets, VALUES and UNION ALL as EXPLAIN prints them
//! (`show_window_def`, src/backend/commands/explain.c; `create_set_projection_path`,
//! src/backend/optimizer/util/pathnode.c; `cost_append`, src/backend/optimizer/path/costsize.c).
//!
//! ```text
//!  WindowAgg                                            from 18 on: Window: w1 AS (PARTITION BY b ORDER BY c)
//!    ->  Sort
//!          Sort Key: b, c DESC
//! ```

use super::actual::Actual;
use super::figures::{Figures, has_width, target_cost};
use super::format::Shape;
use super::upper::direction;
use super::{Explained, Tree};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::SetKind;
use crate::sql::expr::{Node, SortKey, Typed, WindowCall, WindowFunction};
use crate::sql::plan::cost::CPU_TUPLE;
use crate::sql::plan::size::{clamp, typavgwidth};
use crate::sql::plan::{Cost, OutputValue, SelectPlan, SetPlan, SourceRows};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

impl Explained<'_> {
    /// Window functions over the rows of a table, all over one window. What they cost is not known.
    pub(super) fn windows(&self, select: &SelectPlan) -> Option<Tree> {
        let is_plain = select.sources.is_empty()
            && !select.grouped
            && select.aggregates.is_empty()
            && select.distinct.is_none()
            && select.locking.is_none()
            && self.schema.is_none()
            && self.enabled.sort;
        let (first, scan) = (select.windows.first()?, select.scan.as_ref()?);
        let is_same = |call: &WindowCall| {
            call.partition == first.partition
                && call.order == first.order
                && call.called == first.called
                && call.frame.is_none()
        };
        let (limit, offset) = (&select.limit, &select.offset);
        if !is_plain || !select.windows.iter().all(is_same) || limit.is_some() || offset.is_some() {
            return None;
        }
        let keys = select.window_order()?;
        let is_column = |key: &SortKey| matches!(key.expr.node, Node::Slot(_));
        let presorted = select.presorted;
        let is_known = keys.iter().chain(&select.sort).all(is_column) && presorted <= keys.len();
        if !is_known || self.may_be_in_order(select, &keys) {
            return None;
        }
        let mut tree = self.scan(scan, false)?.costing(None);
        if presorted < keys.len() {
            tree = self.sorted_by(tree, (&keys, presorted), select)?;
        }
        tree = Tree::over("WindowAgg", tree);
        if PgVersion::of_major(self.major).tells_windows() {
            tree.tell("Window", self.window(select, first)?);
        }
        let is_sorted = keys.starts_with(&select.sort);
        if !is_sorted {
            // rows that have the order of the first keys are sorted within groups
            if keys.first() == select.sort.first() {
                return None;
            }
            tree = self.sorted_by(tree, (&select.sort, 0), select)?;
        }
        Some(tree)
    }

    /// May an index give the rows in the order that is wanted above, or does a condition leave one value of a key?
    fn may_be_in_order(&self, select: &SelectPlan, keys: &[SortKey]) -> bool {
        let indexes = self.table.map_or(&[][..], |table| &table.indexes);
        let leads = |key: &SortKey| {
            let is_first = |index: &crate::sql::catalog::IndexInfo| {
                index.keys.first().is_some_and(|first| first.expr.node == key.expr.node)
            };
            indexes.iter().any(is_first)
        };
        let filter = select.scan.iter().flat_map(|scan| &scan.filter);
        let is_fixed = |key: &SortKey| filter.clone().any(|clause| crate::sql::plan::path::fixes(clause, &key.expr));
        keys.is_empty() && select.sort.first().is_some_and(leads) || keys.iter().any(is_fixed)
    }

    fn sorted_by(&self, tree: Tree, by: (&[SortKey], usize), select: &SelectPlan) -> Option<Tree> {
        let (keys, presorted) = by;
        let mut sort = Tree::over(if presorted > 0 { "Incremental Sort" } else { "Sort" }, tree);
        let key = |key: &SortKey| Some(self.sort_key(key, select)? + direction(key));
        sort.tell_all("Sort Key", keys.iter().map(key).collect::<Option<Vec<String>>>()?);
        if presorted > 0 {
            let first = keys[..presorted].iter().map(|key| self.sort_key(key, select));
            sort.tell_all("Presorted Key", first.collect::<Option<Vec<String>>>()?);
        }
        Some(sort)
    }

    /// `show_window_def`
    fn window(&self, select: &SelectPlan, call: &WindowCall) -> Option<String> {
        let key = |expr: &Typed| {
            let key = SortKey { expr: expr.clone(), descending: false, nulls_first: false };
            self.sort_key(&key, select)
        };
        let list = |exprs: &mut dyn Iterator<Item = &Typed>| exprs.map(key).collect::<Option<Vec<String>>>();
        let mut parts: Vec<String> = Vec::new();
        let partition = list(&mut call.partition.iter())?;
        if !partition.is_empty() {
            parts.push(format!("PARTITION BY {}", partition.join(", ")));
        }
        let order = list(&mut call.order.iter().map(|key| &key.expr))?;
        if !order.is_empty() {
            parts.push(format!("ORDER BY {}", order.join(", ")));
        }
        // of functions that number rows the frame does not matter (`optimize_window_clauses`)
        let numbers = |call: &WindowCall| {
            matches!(
                call.function,
                WindowFunction::RowNumber
                    | WindowFunction::Rank
                    | WindowFunction::DenseRank
                    | WindowFunction::PercentRank
                    | WindowFunction::CumeDist
                    | WindowFunction::Ntile
            )
        };
        if select.windows.iter().all(numbers) {
            parts.push("ROWS UNBOUNDED PRECEDING".to_string());
        }
        let name = call.called.as_deref().map_or_else(|| "w1".to_string(), quote_identifier);
        Some(format!("{name} AS ({})", parts.join(" ")))
    }

    /// A function with rows as the only target, without FROM.
    pub(super) fn project_set(&self, select: &SelectPlan) -> Option<Tree> {
        let is_plain = select.scan.is_none()
            && select.sources.is_empty()
            && select.filter.is_empty()
            && select.aggregates.is_empty()
            && select.sort.is_empty()
            && !select.is_general()
            && self.schema.is_none();
        let [OutputValue::Series(series)] = select.targets.iter().map(|it| &it.value).collect::<Vec<_>>()[..] else {
            return None;
        };
        let is_constant = |arg: &Typed| matches!(arg.node, Node::Const(_));
        if !is_plain || !series.args.iter().all(is_constant) || select.limit.is_some() || select.offset.is_some() {
            return None;
        }
        let rows = clamp(series.rows);
        let each = crate::sql::plan::cost::CPU_OPERATOR;
        let row = Figures { cost: Cost { startup: 0.0, total: CPU_TUPLE }, rows: 1.0, width: 0 };
        let total = row.cost.total + CPU_TUPLE + each + (rows - 1.0) * CPU_TUPLE / 2.0;
        let figures = Figures { cost: Cost { startup: 0.0, total }, rows, width: typavgwidth(series.ty) };
        let below = Tree::new("Result").costing(Some(row)).counted(Actual::Rows(1));
        let tree = Tree::over("ProjectSet", below).costing(Some(figures)).counted(Actual::Returned);
        Some(tree.shaped(Shape::of("ProjectSet")))
    }

    /// Rows that are written out, or those of several queries one after the other.
    pub(super) fn listed(&self, select: &SelectPlan) -> Option<Tree> {
        let source = select.passed().filter(|_| self.schema.is_none())?;
        match &source.rows {
            SourceRows::Values(rows) if select.shown.first().is_some_and(|shown| shown.name == "*VALUES*") => {
                self.values_scan(rows)
            }
            SourceRows::Set(set) => self.append_of(set),
            _ => None,
        }
    }

    fn values_scan(&self, rows: &[Vec<Typed>]) -> Option<Tree> {
        if let [row] = rows {
            let row: Vec<&Typed> = row.iter().collect();
            let is_known = row.iter().all(|expr| has_width(expr, self.major));
            let figures = Figures::row(&row, self.major).filter(|_| is_known);
            return Some(Tree::new("Result").costing(figures).counted(Actual::Rows(1)));
        }
        let shape = Shape { after: Vec::from([("Alias", "*VALUES*".to_string())]), ..Shape::of("Values Scan") };
        let tree = Tree::new("Values Scan on \"*VALUES*\"").shaped(shape);
        Some(tree.costing(Figures::values(rows, self.major)).counted(Actual::Rows(rows.len() as u64)))
    }

    /// UNION ALL of scans.
    fn append_of(&self, set: &Arc<SetPlan>) -> Option<Tree> {
        let mut queries = Vec::new();
        parts_of(set, &mut queries)?;
        let mut tree = Tree::new("Append");
        for query in queries {
            let outputs = query.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
            target_cost(&outputs, self.major)?;
            tree.below.push(self.nested(query, false)?);
        }
        let all = tree.below.iter().map(|below| below.figures).collect::<Option<Vec<Figures>>>();
        let figures = all.and_then(|all| {
            let first = all.first()?;
            let rows: f64 = all.iter().map(|one| one.rows).sum();
            // until 15 each is a query that passes its rows on
            let is_free = PgVersion::of_major(self.major).passes_rows_freely();
            let each = CPU_TUPLE * if is_free { 0.5 } else { 1.5 };
            let total = all.iter().map(|one| one.cost.total).sum::<f64>() + each * rows;
            let is_even = all.iter().all(|one| one.width == first.width);
            let cost = Cost { startup: first.cost.startup, total };
            is_even.then_some(Figures { cost, rows, width: first.width })
        });
        Some(tree.costing(figures))
    }
}

/// The two queries of UNION ALL, where each is of a table alone.
fn parts_of<'a>(set: &'a SetPlan, found: &mut Vec<&'a Arc<SelectPlan>>) -> Option<()> {
    let is_same = |(n, cast): (usize, &Typed)| cast.node == Node::Slot(n as u16);
    let is_alike = set.casts.iter().all(|casts| casts.iter().enumerate().all(is_same));
    if set.kind != SetKind::Union || !set.all || !is_alike {
        return None;
    }
    for query in [&set.left, &set.right] {
        let is_plain = query.sources.is_empty()
            && query.sort.is_empty()
            && query.limit.is_none()
            && query.offset.is_none()
            && query.locking.is_none()
            && query.aggregates.is_empty()
            && !query.is_general();
        let is_of_table = query.scan.as_ref().is_some_and(|scan| scan.parts().next().is_none());
        if !is_plain || !is_of_table {
            return None;
        }
        found.push(query);
    }
    Some(())
}
