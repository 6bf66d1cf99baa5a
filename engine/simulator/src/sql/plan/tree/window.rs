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
use super::{Explained, Tree};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::SetKind;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::cost::CPU_TUPLE;
use crate::sql::plan::size::{clamp, typavgwidth};
use crate::sql::plan::windows;
use crate::sql::plan::{Cost, OutputValue, SelectPlan, SetPlan, SourceRows};
use crate::sql::ruleutils::{Names, frame_options, rule};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

impl Explained<'_> {
    /// `show_window_def`
    pub(super) fn window(&self, select: &SelectPlan, number: usize, names: &dyn Names) -> Option<String> {
        let windows = select.active_windows(PgVersion::of_major(self.major));
        let window = windows.get(number)?;
        let list = |keys: &[SortKey]| {
            let keys = keys.iter().map(|key| {
                let text = rule(&key.expr, names)?;
                Some(if matches!(key.expr.node, Node::Slot(_)) { text } else { format!("({text})") })
            });
            keys.collect::<Option<Vec<String>>>()
        };
        let mut parts: Vec<String> = Vec::new();
        if !window.partition.is_empty() {
            parts.push(format!("PARTITION BY {}", list(&window.partition)?.join(", ")));
        }
        if !window.order.is_empty() {
            parts.push(format!("ORDER BY {}", list(&window.order)?.join(", ")));
        }
        if let Some(frame) = window.frame {
            let whole = |number: u64| format!("'{number}'::bigint");
            let offset = |n: usize| rule(window.offsets[n].as_ref()?, names);
            parts.push(frame_options(frame, whole, offset)?);
        }
        let name = windows::names(&windows).swap_remove(number);
        Some(format!("{} AS ({})", quote_identifier(&name), parts.join(" ")))
    }

    /// A window function as it stands in keys and conditions: over which window is told from 18 on.
    pub(super) fn over_window(&self, select: &SelectPlan, call: usize) -> Option<String> {
        let version = PgVersion::of_major(self.major);
        if !version.tells_windows() {
            return Some("OVER (?)".to_string());
        }
        let windows = select.active_windows(version);
        let number = windows.iter().position(|window| window.calls.contains(&call))?;
        Some(format!("OVER {}", quote_identifier(&windows::names(&windows).swap_remove(number))))
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
        if series.over.is_some() {
            return None;
        }
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
