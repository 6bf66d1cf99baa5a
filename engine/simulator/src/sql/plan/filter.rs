//! WHERE: its parts, and what is known of them before any row is read (`preprocess_qual_conditions`,
//! src/backend/optimizer/plan/planner.c; `evaluate_function`, src/backend/optimizer/util/clauses.c).

use super::equivalence::with_equivalences;
use super::fold::{fold, parts};
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, Volatility};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, RangeTable, SYSTEM, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

impl Planner<'_> {
    /// WHERE, as parts; `None` when no row satisfies it.
    pub fn filter(
        &mut self,
        range: &RangeTable,
        filter: Option<&Expr>,
        table: Option<&TableInfo>,
    ) -> Result<Option<Vec<Typed>>, StatementError> {
        self.filter_with(range, filter, table, Vec::new())
    }

    /// The same with more parts, which a view has.
    pub(super) fn filter_with(
        &mut self,
        range: &RangeTable,
        filter: Option<&Expr>,
        table: Option<&TableInfo>,
        more: Vec<Typed>,
    ) -> Result<Option<Vec<Typed>>, StatementError> {
        let mut all = Vec::new();
        if let Some(filter) = filter {
            let condition = self.analyze(range, "WHERE", |analyzer| analyzer.condition(filter))?;
            let condition = self.with_routines_folded(condition)?;
            let Some(own) = parts(condition, self.catalog.input())? else { return Ok(None) };
            check_merged(range, &own)?;
            all = own;
        } else if more.is_empty() {
            return Ok(Some(all));
        }
        all.extend(more);
        self.simplified(all, range, table)
    }

    /// Conditions once it is known what is equal to what, and what is never NULL.
    pub fn simplified(
        &mut self,
        mut all: Vec<Typed>,
        range: &RangeTable,
        table: Option<&TableInfo>,
    ) -> Result<Option<Vec<Typed>>, StatementError> {
        if table.is_some() && range.entries.len() == 1 {
            let mut chosen = Vec::new();
            let merged = with_equivalences(all, self.catalog.input(), &mut chosen)?;
            self.catalog.look_up(chosen);
            let Some(merged) = merged else { return Ok(None) };
            all = merged;
        }
        // what NOT NULL says is not asked again
        let is_nullable = range.entries.first().is_some_and(|entry| entry.is_nullable);
        if let Some(table) = table.filter(|_| self.version().knows_not_null() && !is_nullable) {
            let known = |part: &Typed, wanted: bool| match &part.node {
                Node::IsNull(expr, negated) => *negated == wanted && is_not_null(table, expr),
                _ => false,
            };
            if all.iter().any(|part| known(part, false)) {
                return Ok(None);
            }
            all.retain(|part| !known(part, true));
        }
        Ok(Some(all))
    }

    /// `evaluate_function`, of functions of the script's: what is IMMUTABLE is called once, where its arguments are
    /// known.
    fn with_routines_folded(&mut self, expr: Typed) -> Result<Typed, SqlError> {
        if !expr.any(&|node| matches!(node, Node::Routine(..))) {
            return Ok(expr);
        }
        let input = self.catalog.input();
        let expr = expr.map_children(&mut |child| self.with_routines_folded(child))?;
        let Node::Routine(function, args) = &expr.node else { return Ok(expr) };
        let args: Vec<Typed> = args.iter().map(|arg| fold(arg.clone(), input)).collect::<Result<_, _>>()?;
        let values = args.iter().map(|arg| if let Node::Const(value) = &arg.node { Some(value.clone()) } else { None });
        let Some(values) = values.collect::<Option<Vec<_>>>() else { return Ok(expr) };
        if function.volatility != Volatility::Immutable {
            return Ok(expr);
        }
        Ok(match self.catalog.constant_of(&function.clone(), values) {
            Some(value) => Typed::constant(value, expr.ty),
            None => expr,
        })
    }
}

/// Is it a column that is NOT NULL, or a system column?
pub fn is_not_null(table: &TableInfo, expr: &Typed) -> bool {
    let Node::Slot(slot) = expr.node else { return false };
    let slot = usize::from(slot);
    let is_system = (table.columns.len()..table.columns.len() + SYSTEM.len()).contains(&slot);
    table.columns.get(slot).map_or(is_system, |column| column.attribute.not_null)
}

/// What FULL JOIN … USING merges and is compared with a constant narrows both sides (`reconsider_full_join_clause`,
/// src/backend/optimizer/path/equivclass.c), which is not simulated.
fn check_merged(range: &RangeTable, parts: &[Typed]) -> Result<(), StatementError> {
    let is_merged = |expr: &Typed| range.coalesced.iter().any(|(_, both)| both.node == expr.node);
    let narrows = |part: &Typed| match &part.node {
        Node::Binary(BinaryOp::Eq, sides) => is_merged(&sides.0) || is_merged(&sides.1),
        _ => false,
    };
    match parts.iter().any(narrows) {
        true => {
            let message = "WHERE … = of a column that FULL JOIN … USING merges is not supported; put the join into a query in FROM with OFFSET 0";
            Err(StatementError::unsupported(message, None))
        }
        false => Ok(()),
    }
}
