//! A function in FROM, and the rows that INSERT takes from a query (`cost_functionscan`,
//! src/backend/optimizer/path/costsize.c; `set_rtable_names`, src/backend/utils/adt/ruleutils.c).

use super::actual::Actual;
use super::figures::{Figures, has_width, target_cost};
use super::format::Shape;
use super::{Explained, Tree};
use crate::cluster::ddl::quote_identifier;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE, quals};
use crate::sql::plan::size::typavgwidth;
use crate::sql::plan::{Cost, SelectPlan, Source, SourceRows};
use crate::sql::ruleutils::Names;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::SqlType;

/// The one column of a function.
struct OneColumn<'a>(&'a str);

impl Names for OneColumn<'_> {
    fn column(&self, slot: u16, _: SqlType) -> Option<String> {
        (slot == 0).then(|| quote_identifier(self.0))
    }
}

impl Explained<'_> {
    /// A query of a function's rows.
    pub(super) fn function_scan(&self, select: &SelectPlan) -> Option<Tree> {
        let outputs = select.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
        let is_plain = select.aggregates.is_empty() && select.sort.is_empty() && select.locking.is_none();
        if select.is_general() && select.locking.is_none() {
            let upper = select.upper.as_ref()?;
            let tree = self.function_rows(select, &upper.input.iter().collect::<Vec<_>>())?;
            return self.above_join(tree, select, upper, &OneColumn(&self.function?.column));
        }
        if !is_plain || select.is_general() {
            return None;
        }
        let tree = self.function_rows(select, &outputs)?;
        self.limit(tree, select, &|tree| Some(tree))
    }

    /// The rows of the function, of which these are computed.
    fn function_rows(&self, select: &SelectPlan, exprs: &[&Typed]) -> Option<Tree> {
        let ([source], None, Some(item), None) = (&select.sources[..], &select.scan, self.function, self.schema) else {
            return None;
        };
        let Source { rows: SourceRows::Series(series), ordinality: false, keeps_left: false, .. } = source else {
            return None;
        };
        if !select.filter.is_empty() || !matches!(series.ty.oid, 20 | 23) {
            return None;
        }
        let name = quote_identifier(&item.name);
        let alias = if item.alias == item.name { String::new() } else { format!(" {}", quote_identifier(&item.alias)) };
        let mut tree = Tree::new(format!("Function Scan on {name}{alias}"));
        let after = Vec::from([("Function Name", item.name.clone()), ("Alias", item.alias.clone())]);
        tree.shape = Some(Shape { after, ..Shape::of("Function Scan") });
        if !source.filter.is_empty() {
            let parts: Vec<&Typed> = source.filter.iter().collect();
            tree.tell("Filter", super::joined(&parts, " AND ", &OneColumn(&item.column))?);
            return Some(tree);
        }
        let rows = (series.rows as u64 as f64).max(1.0);
        let startup = CPU_OPERATOR + quals(&series.args, self.major).total;
        let each = target_cost(exprs, self.major)?;
        let total = startup + each.startup + (CPU_TUPLE + each.total) * rows;
        let cost = Cost { startup: startup + each.startup, total };
        let width = exprs.iter().map(|expr| typavgwidth(expr.ty)).sum();
        let figures = exprs.iter().all(|expr| has_width(expr, self.major)).then_some(Figures { cost, rows, width });
        Some(tree.costing(figures).counted(Actual::Returned))
    }

    /// What INSERT takes from its query: of a query without more than a table or a function no node of its own is left.
    pub(super) fn inserted(&self, query: &SelectPlan, row: Option<&[Typed]>) -> Option<Tree> {
        let source = self.source?;
        let outputs = query.targets.iter().map(|target| target.value.expr().cloned()).collect::<Option<Vec<_>>>()?;
        let is_plain = query.aggregates.is_empty()
            && query.sort.is_empty()
            && query.locking.is_none()
            && query.limit.is_none()
            && query.offset.is_none()
            && !query.is_general();
        if !is_plain || self.schema.is_some() {
            return None;
        }
        let exprs: Vec<Typed> = match row {
            Some(row) => row.iter().map(|expr| over(expr.clone(), &outputs)).collect(),
            None => outputs,
        };
        let exprs: Vec<&Typed> = exprs.iter().collect();
        source.tell_computed(exprs.iter().copied())?;
        match &query.scan {
            Some(scan) if query.sources.is_empty() => source.scan_for(scan, false, &exprs),
            None if !query.sources.is_empty() => {
                source.function_rows(query, &exprs).or_else(|| source.common_rows(query, &exprs))
            }
            _ => None,
        }
    }
}

/// An expression over outputs as one over what these are made of.
fn over(expr: Typed, outputs: &[Typed]) -> Typed {
    if let Node::Slot(slot) = expr.node
        && let Some(output) = outputs.get(usize::from(slot))
    {
        return Typed { node: output.node.clone(), ty: expr.ty };
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(over(child, outputs)));
    expr
}
