//! A query of WITH or of FROM that is read as it is (`ExplainScanTarget`, src/backend/commands/explain.c;
//! `cost_ctescan`, src/backend/optimizer/path/costsize.c; `trivial_subqueryscan`,
//! src/backend/optimizer/plan/setrefs.c).
//!
//! ```text
//!  CTE Scan on c                  Subquery Scan on s         of columns as they are nothing is told
//!    Filter: (a = 5)                Filter: (s.a = 5)        but the query itself
//!    CTE c                          ->  Limit
//! ```

use super::figures::{Figures, target_cost};
use super::sub_plan::is_semi_join;
use super::upper::direction;
use super::{Explained, Tree};
use crate::cluster::ddl::quote_identifier;
use crate::sql::expr::{Node, SortKey, SubPlan, Typed};
use crate::sql::parse::JSON_ROWS;
use crate::sql::plan::cost::CPU_TUPLE;
use crate::sql::plan::size::typavgwidth;
use crate::sql::plan::{CommonPlan, Cost, SelectPlan, Shown, Source, SourceRows};
use crate::sql::ruleutils::{Names, rule};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::PgVersion;

/// The columns of such an item.
struct OfItem<'a> {
    of: &'a Explained<'a>,
    name: &'a str,
    columns: &'a [String],
    has_prefix: bool,
}

impl Names for OfItem<'_> {
    fn column(&self, slot: u16, _: SqlType) -> Option<String> {
        let column = quote_identifier(self.columns.get(usize::from(slot))?);
        Some(if self.has_prefix { format!("{}.{column}", quote_identifier(self.name)) } else { column })
    }

    fn outer(&self, level: u16, slot: u16, ty: SqlType) -> Option<String> {
        self.of.around?.outer(level, slot, ty)
    }

    fn query(&self, sub: &SubPlan) -> Option<String> {
        self.of.sub_plan(sub, self)
    }
}

impl Explained<'_> {
    /// A query of one such item.
    pub(super) fn of_item(&self, select: &SelectPlan) -> Option<Tree> {
        let outputs = select.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
        let is_told = self.schema.is_none() && select.locking.is_none();
        let ([shown], [name]) = (&select.shown[..], &self.plans.names_of(select)?[..]) else { return None };
        if !is_told {
            return None;
        }
        if select.is_general() {
            return self.upper_of_item(select, (shown, name));
        }
        if !select.aggregates.is_empty() {
            let is_plain = select.aggregate_order.is_empty() && select.sort.is_empty() && select.limit.is_none();
            let below = self.item(select, (shown, name), None).filter(|_| is_plain && select.having.is_empty())?;
            return Some(Tree::over("Aggregate", below));
        }
        let exprs: Vec<&Typed> = outputs.into_iter().chain(&select.junk).collect();
        let mut tree = self.item(select, (shown, name), Some(&exprs))?;
        if !select.sort.is_empty() {
            // the keys of a query that is not told are what these are in it
            let is_there = tree.line.contains(" Scan on ");
            let names = OfItem { of: self, name, columns: &shown.columns, has_prefix: true };
            let key = |it: &SortKey| {
                let text = rule(&it.expr, &names).filter(|_| matches!(it.expr.node, Node::Slot(_)))?;
                Some(text + direction(it))
            };
            let keys = select.sort.iter().map(key).collect::<Option<Vec<_>>>().filter(|_| is_there)?;
            tree = Tree::over("Sort", tree);
            tree.tell_all("Sort Key", keys);
        }
        self.limit(tree, select, &Some)
    }

    /// What stands above it where rows are grouped.
    fn upper_of_item(&self, select: &SelectPlan, (shown, name): (&Shown, &str)) -> Option<Tree> {
        let upper = select.upper.as_ref()?;
        let reads: Vec<&Typed> = upper.input.iter().collect();
        let tree = self.item(select, (shown, name), Some(&reads))?;
        // the keys of a query that is not told are what these are in it
        let is_there = tree.line.contains(" Scan on ");
        let names = OfItem { of: self, name, columns: &shown.columns, has_prefix: true };
        is_there.then(|| self.above_join(tree, select, upper, &names)).flatten()
    }

    /// The rows of a query of WITH that INSERT takes.
    pub(super) fn common_rows(&self, select: &SelectPlan, exprs: &[&Typed]) -> Option<Tree> {
        let is_common = matches!(&select.sources[..], [Source { rows: SourceRows::Common(_), .. }]);
        let ([shown], [name]) = (&select.shown[..], &self.plans.names_of(select)?[..]) else { return None };
        self.item(select, (shown, name), Some(exprs)).filter(|_| is_common)
    }

    /// The item; `exprs`: what is computed of its rows, all columns where that is not known.
    fn item(&self, select: &SelectPlan, (shown, name): (&Shown, &str), exprs: Option<&[&Typed]>) -> Option<Tree> {
        let [Source { rows, ordinality: false, keeps_left: false, filter, types, .. }] = &select.sources[..] else {
            return None;
        };
        if name.starts_with(JSON_ROWS)
            || select.scan.is_some()
            || !select.filter.is_empty()
            || filter.iter().any(is_semi_join)
        {
            return None;
        }
        let alias = |of: &str| if of == name { String::new() } else { format!(" {}", quote_identifier(name)) };
        let mut filter: Vec<&Typed> = filter.iter().collect();
        let mut tree = match rows {
            SourceRows::Common(common) => {
                let line = format!("CTE Scan on {}{}", quote_identifier(&common.name), alias(&common.name));
                let figures =
                    exprs.filter(|_| filter.is_empty()).and_then(|exprs| self.common_figures(common, types, exprs));
                Tree::new(line).costing(figures)
            }
            SourceRows::Work(work) => Tree::new(format!("WorkTable Scan on {}{}", quote_identifier(work), alias(work))),
            SourceRows::Query(query) => {
                let mut below = self.nested(query, false)?;
                filter = self.with_run_conditions(query, filter, &mut below)?;
                let is_column =
                    |(n, expr): (usize, &&Typed)| matches!(expr.node, Node::Slot(slot) if usize::from(slot) == n);
                let gives_columns = exprs
                    .is_none_or(|exprs| exprs.len() == query.targets.len() && exprs.iter().enumerate().all(is_column));
                let is_trivial = gives_columns && filter.is_empty() && query.junk.is_empty();
                let keeps = PgVersion::of_major(self.major).keeps_scans_for_junk();
                match select.junk.is_empty() {
                    true if is_trivial => return Some(below),
                    false if is_trivial && !keeps => return None,
                    _ => {}
                }
                Tree::over(&format!("Subquery Scan on {}", quote_identifier(name)), below)
            }
            _ => return None,
        };
        if !filter.is_empty() {
            let has_prefix = matches!(rows, SourceRows::Query(_));
            let names = OfItem { of: self, name, columns: &shown.columns, has_prefix };
            tree.tell("Filter", super::joined(&filter, " AND ", &names)?);
        }
        self.plans.told_with(&mut tree);
        Some(tree)
    }

    /// `cost_ctescan` of all rows.
    fn common_figures(&self, common: &Arc<CommonPlan>, types: &[SqlType], exprs: &[&Typed]) -> Option<Figures> {
        let rows = self.plans.rows_of(common)?;
        let each = target_cost(exprs, self.major)?;
        let total = 2.0 * CPU_TUPLE * rows + each.startup + each.total * rows;
        let is_column = |expr: &&&Typed| matches!(expr.node, Node::Slot(_));
        let width = exprs.iter().map(|expr| typavgwidth(expr.ty)).sum();
        let is_known = exprs.iter().all(|expr| is_column(&expr)) && exprs.len() == types.len();
        is_known.then_some(Figures { cost: Cost { startup: each.startup, total }, rows, width })
    }
}
