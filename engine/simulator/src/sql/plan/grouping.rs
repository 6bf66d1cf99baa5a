//! GROUP BY, HAVING, DISTINCT: what a query gives of several rows (`transformGroupClause`, `transformDistinctClause`,
//! src/backend/parser/parse_clause.c; `parseCheckAggregates`, parse_agg.c).

use super::fold::{fold, parts};
use super::from::From;
use super::{GroupingSet, Output, OutputValue, SelectPlan};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal, Select};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Analyzer, Builtin, Node, SYSTEM, SortKey, Typed, WindowCall, behind};
use alloc::format;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

/// GROUPING: as it is called its arguments are keys; over groups they are what tells the keys that a group has not, and
/// the places of the keys.
const GROUPING: Builtin = Builtin::of("grouping");

/// What a query asks of groups of rows.
#[derive(Default)]
pub(super) struct Grouping {
    pub keys: Vec<Typed>,
    pub sets: Vec<GroupingSet>,
    pub grouped: bool,
    pub having: Vec<Typed>,
    pub distinct: Option<Vec<Typed>>,
    pub windows: Vec<WindowCall>,
}

impl SelectPlan {
    /// Is each row that comes out made of several?
    #[must_use]
    pub(in crate::sql) const fn is_general(&self) -> bool {
        self.grouped || self.distinct.is_some() || !self.windows.is_empty()
    }
}

impl Grouping {
    /// Reads the clauses; aggregates of HAVING are noted by the analyzer.
    pub fn read(
        analyzer: &mut Analyzer<'_>,
        select: &Select,
        outputs: &[Output],
        input: Input,
    ) -> Result<Self, StatementError> {
        let is_grouped = !select.group_by.is_empty() || !select.grouping_sets.is_empty() || select.having.is_some();
        let mut grouping = Self { grouped: is_grouped, ..Self::default() };
        let kept = analyzer.aggregates.take();
        let mut places = Vec::new();
        for expr in &select.group_by {
            analyzer.clause = "GROUP BY";
            let key = clause(analyzer, expr, outputs, true)?;
            has_equality(key.ty.oid)?;
            analyzer.needs_order(key.ty.oid)?;
            analyzer.look_up_order(key.ty.oid, false);
            let key = fold(key, input)?;
            places.push(grouping.keys.iter().position(|known| *known == key).unwrap_or(grouping.keys.len()));
            if !grouping.keys.contains(&key) {
                grouping.keys.push(key);
            }
        }
        for set in &select.grouping_sets {
            let mut keys = Vec::new();
            for place in set.iter().map(|n| places[*n]) {
                if !keys.contains(&place) {
                    keys.push(place);
                }
            }
            grouping.sets.push(GroupingSet { keys, expected: None });
        }
        analyzer.aggregates = kept;
        if let Some(having) = &select.having {
            analyzer.clause = "HAVING";
            let condition = analyzer.condition(having)?;
            let never = || Vec::from([Typed::constant(Value::Bool(false), SqlType::BOOL)]);
            grouping.having = parts(condition, input)?.unwrap_or_else(never);
        }
        if let Some(on) = &select.distinct {
            let mut keys = Vec::with_capacity(on.len());
            for expr in on {
                let key = fold(clause(analyzer, expr, outputs, false)?, input)?;
                has_equality(key.ty.oid)?;
                keys.push(key);
            }
            grouping.distinct = Some(keys);
        }
        Ok(grouping)
    }

    /// The expressions over groups, not over rows: a key is a value that a group has.
    pub fn apply(&mut self, outputs: &mut [Output], sort: &mut [SortKey], aggregates: usize) {
        let (first, keys) = (aggregates as u16, self.keys.clone());
        // with sets, which keys a group has not stands behind them
        let others = first + keys.len() as u16 + u16::from(!self.sets.is_empty());
        let change = |expr: &mut Typed| *expr = behind(over(expr.clone(), &keys, first), others);
        for call in &mut self.windows {
            let of_order = call.order.iter_mut().map(|key| &mut key.expr);
            let args = call.args.iter_mut().chain(&mut call.filter);
            args.chain(&mut call.partition).chain(of_order).for_each(change);
        }
        for output in outputs {
            if let OutputValue::Expr(expr) = &mut output.value {
                change(expr);
            }
        }
        sort.iter_mut().for_each(|key| change(&mut key.expr));
        self.having.iter_mut().for_each(change);
        self.distinct.iter_mut().flatten().for_each(change);
    }

    /// `transformGroupingFunc`: are the arguments of GROUPING keys?
    pub fn check_grouping_calls(&self, outputs: &[Output], sort: &[SortKey]) -> Result<(), StatementError> {
        let is_wrong = |node: &Node| match node {
            Node::Call(builtin, args) if *builtin == GROUPING => {
                args.iter().any(|arg| !self.keys.iter().any(|key| key.node == arg.node))
            }
            _ => false,
        };
        let outputs = outputs.iter().filter_map(|output| output.value.expr());
        let mut all = outputs.chain(sort.iter().map(|key| &key.expr)).chain(&self.having);
        if all.any(|expr| expr.any(&is_wrong)) {
            let message = "arguments to GROUPING must be grouping expressions of the associated query level";
            return Err(StatementError::server("42803", message));
        }
        Ok(())
    }

    /// Is a column read that a group may have several values of?
    pub fn check(&self, from: &From, outputs: &[Output], sort: &[SortKey]) -> Result<(), StatementError> {
        if !self.grouped {
            return Ok(());
        }
        let mut slots = Vec::new();
        outputs.iter().filter_map(|output| output.value.expr()).for_each(|expr| expr.slots(&mut slots));
        sort.iter().for_each(|key| key.expr.slots(&mut slots));
        self.having.iter().for_each(|expr| expr.slots(&mut slots));
        for call in &self.windows {
            let of_order = call.order.iter().map(|key| &key.expr);
            let all = call.args.iter().chain(&call.filter).chain(&call.partition).chain(of_order);
            all.for_each(|expr| expr.slots(&mut slots));
        }
        let Some(slot) = slots.iter().find(|slot| !self.has_primary_key(from, **slot)) else { return Ok(()) };
        let entry = from.range.entries.iter().filter(|entry| entry.first <= *slot).max_by_key(|entry| entry.first);
        let name = entry.map_or_else(Default::default, |entry| {
            let column = entry.columns.get(usize::from(slot - entry.first)).map_or("", |column| &column.name);
            format!("{}.{column}", entry.name)
        });
        let message =
            format!("column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function");
        Err(StatementError::server("42803", message))
    }

    /// Do the keys have the key of the column's table, so that a group is a row of it (`check_functional_grouping`)?
    fn has_primary_key(&self, from: &From, slot: u16) -> bool {
        let tables = from.table.iter().map(|table| (table, 0));
        let before = usize::from(from.table.is_some());
        let first_of = |n: &usize| from.range.entries.get(n + before).map_or(u16::MAX, |entry| entry.first);
        let tables = tables.chain(from.tables.iter().map(|(n, table, _)| (table, first_of(n))));
        let its = tables.filter(|(_, first)| *first <= slot).max_by_key(|(_, first)| *first);
        let width = |table: &TableInfo| (table.columns.len() + SYSTEM.len()) as u16;
        let Some((table, first)) = its.filter(|(table, first)| slot < first + width(table)) else { return false };
        let is_key = |node: &Node| {
            let Node::Slot(column) = node else { return false };
            self.keys.iter().any(|key| key.node == Node::Slot(column + first))
        };
        let is_not_null = |expr: &Typed| super::filter::is_not_null(table, expr);
        table.indexes.iter().any(|index| {
            index.unique
                && index.immediate
                && index.predicate.is_empty()
                && index.keys.iter().all(|key| is_key(&key.expr.node) && is_not_null(&key.expr))
        })
    }
}

/// A name of an output, its place, or an expression over the rows. In GROUP BY a column goes before an output of its
/// name.
fn clause(
    analyzer: &mut Analyzer<'_>,
    expr: &Expr,
    outputs: &[Output],
    columns_first: bool,
) -> Result<Typed, StatementError> {
    let word = if columns_first { "GROUP BY" } else { "SELECT DISTINCT" };
    match &expr.node {
        ExprNode::Literal(Literal::Number(digits)) => {
            let place = digits.parse::<usize>().ok().and_then(|place| outputs.get(place.wrapping_sub(1)));
            let found = place.and_then(|output| output.value.expr());
            found.cloned().ok_or_else(|| {
                let message = format!("{word} position {digits} is not in select list");
                StatementError::server("42P10", message).at(expr.position)
            })
        }
        ExprNode::Column { table: None, name } => {
            let named = outputs.iter().find(|output| output.name == *name).and_then(|output| output.value.expr());
            let is_column = columns_first && matches!(analyzer.range.column(None, name), Ok(Some(_)));
            match named.filter(|_| !is_column) {
                Some(found) => Ok(found.clone()),
                None => analyzer.decided(expr),
            }
        }
        _ => analyzer.decided(expr),
    }
}

fn over(expr: Typed, keys: &[Typed], first: u16) -> Typed {
    if matches!(expr.node, Node::Const(_)) {
        return expr;
    }
    if let Node::Call(builtin, args) = &expr.node
        && *builtin == GROUPING
    {
        let place = |arg: &Typed| keys.iter().position(|key| key.node == arg.node).map_or(0, |n| n as i32);
        let mask = Typed { node: Node::Aggregate(first + keys.len() as u16), ty: SqlType::INT8 };
        let places = args.iter().map(|arg| Typed::constant(Value::Int4(place(arg)), SqlType::INT4));
        return Typed { node: Node::Call(GROUPING, core::iter::once(mask).chain(places).collect()), ty: expr.ty };
    }
    if let Some(n) = keys.iter().position(|key| key.node == expr.node) {
        return Typed { node: Node::Aggregate(first + n as u16), ty: expr.ty };
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(over(child, keys, first)));
    expr
}

/// `get_sort_group_operators`: rows that are told apart need columns whose values can be.
pub(super) fn has_equality(oid: Oid) -> Result<(), StatementError> {
    const JSON: Oid = 114;
    if oid != JSON {
        return Ok(());
    }
    Err(StatementError::server("42883", "could not identify an equality operator for type json"))
}
