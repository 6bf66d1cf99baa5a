//! Recursive queries of WITH, and what SEARCH and CYCLE add to their rows (`transformWithClause`, `analyzeCTE`,
//! src/backend/parser/parse_cte.c; `rewriteSearchAndCycle`, src/backend/rewrite/rewriteSearchCycle.c).
//!
//! ```text
//!  r(a) AS (x UNION ALL y) SEARCH DEPTH FIRST BY a SET o
//!  r(a, o) AS (SELECT *, ARRAY[ROW(a)] FROM (x) UNION ALL SELECT a, o || ROW(a) FROM (y with the o of r))
//! ```

use super::SelectPlan;
use super::from::Common;
use super::source::CommonRows;
use super::statement::Planner;
use super::sub_query::{columns, placed};
use crate::cluster::ddl::quote_identifier;
use crate::sql::StatementError;
use crate::sql::ast::{
    CommonTable, CycleClause, Expr, ExprNode, FromItem, Literal, Marks, SearchClause, Select, Statement, Target,
};
use crate::sql::error::Position;
use crate::sql::expr::pg_catalog::UNKNOWN;
use crate::sql::expr::{Column, Node, RangeTable, Typed};
use crate::sql::parse::parse;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};

impl Planner<'_> {
    /// A query of WITH RECURSIVE that names itself.
    pub(super) fn recursive(
        &mut self,
        common: &CommonTable,
        base: &Select,
        step: &Select,
        all: bool,
    ) -> Result<Common, StatementError> {
        let Some(marks) = &common.marks else { return self.united(common, base, step, (all, None)) };
        let planned = self.sub_query(base, None)?.plan;
        let outputs = planned.targets.iter().map(|it| (it.name.clone(), it.value.ty()));
        let names: Vec<String> = columns(outputs, common)?.into_iter().map(|column| column.name).collect();
        check_marks(marks, &names)?;
        for (side, query) in [("left", base), ("right", step)] {
            if query.set.is_some() {
                let message = format!("with a SEARCH or CYCLE clause, the {side} side of the UNION must be a SELECT");
                return Err(StatementError::server("0A000", message));
            }
        }
        let Some(alias) = step.from.iter().find_map(|item| alias_in(item, &common.name)) else {
            let message = format!(
                "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"{}\" must be at the top level \
                 of its right-hand SELECT",
                common.name
            );
            return Err(StatementError::server("0A000", message));
        };
        if !step.is_plain() || !step.order_by.is_empty() {
            let message = "SEARCH and CYCLE of a query with GROUP BY, DISTINCT or LIMIT are not supported";
            return Err(StatementError::unsupported(message, None));
        }
        let added = added(marks);
        let of_search = marks.search.as_ref().map(|search| search.position);
        let Some(at) = of_search.or(marks.cycle.as_ref().map(|cycle| cycle.position)) else {
            return self.united(common, base, step, (all, None));
        };
        let base = wrapped(&format!("SELECT *{}", first_marks(marks)), "*TLOCRN*", &names, base.clone(), "")?;
        let columns = |names: &[String]| {
            let column = |name: &String| column_of("*TROCRN*", name);
            names.iter().map(column).collect::<Vec<_>>().join(", ")
        };
        let mut inner = step.clone();
        let own = |name: &String| Target::Expr { expr: column_expr(alias, name, at), alias: None };
        let targets = inner.targets.into_iter().flat_map(|target| match target {
            Target::Star(Some(table)) if table == *alias => names.iter().map(own).collect(),
            target => Vec::from([target]),
        });
        inner.targets = targets.chain(added.iter().map(own)).collect();
        let all_names: Vec<String> = names.iter().chain(&added).cloned().collect();
        let head = format!("SELECT {}{}", columns(&names), next_marks(marks));
        let unmarked = marks.cycle.as_ref().map(|cycle| {
            let [value, _] = &cycle.values;
            format!(" WHERE {} <> {value}", column_of("*TROCRN*", &cycle.mark))
        });
        let hidden = (added.len(), inner.clone());
        let step = wrapped(&head, "*TROCRN*", &all_names, inner, &unmarked.unwrap_or_default())?;
        let whole = CommonTable { columns: all_names, ..common.clone() };
        self.united(&whole, &base, &step, (all, Some(hidden)))
    }

    /// The two parts; `hidden`: how many of the last columns `*` leaves out in the second, and what it is within.
    fn united(
        &mut self,
        common: &CommonTable,
        base: &Select,
        step: &Select,
        (all, hidden): (bool, Option<(usize, Select)>),
    ) -> Result<Common, StatementError> {
        let base_plan = self.sub_query(base, None)?.plan;
        let outputs = base_plan.targets.iter().map(|it| (it.name.clone(), it.value.ty()));
        let columns = columns(outputs, common)?;
        let mut step = step.clone();
        // a literal is of the type that the first part has
        for (n, column) in columns.iter().enumerate() {
            cast(&mut step, n, column.ty, is_literal);
        }
        let (hidden, inner) = hidden.map_or((0, None), |(hidden, inner)| (hidden, Some(inner)));
        let too_many = |plan: &SelectPlan| match plan.targets.len() == columns.len() {
            true => Ok(()),
            false => Err(StatementError::server("42601", "each UNION query must have the same number of columns")),
        };
        if let Some(inner) = inner {
            too_many(&*self.second_part(common, &columns, &inner, hidden)?)?;
        }
        let mut planned = self.second_part(common, &columns, &step, hidden)?;
        let types = |plan: &SelectPlan| plan.targets.iter().map(|target| target.value.ty()).collect::<Vec<_>>();
        let (left, right) = (types(&base_plan), types(&planned));
        too_many(&planned).map_err(|error| placed(error, &step, 0))?;
        let mut is_cast = false;
        for (n, (one, other)) in left.into_iter().zip(right).enumerate() {
            if one == other || one.oid == other.oid && one.typmod == -1 {
                continue;
            }
            self.check_union(&common.name, n, [one, other], [base, &step])?;
            is_cast |= one.oid != other.oid;
            if one.oid != other.oid && !cast(&mut step, n, one, |_| true) {
                let message =
                    "a recursive query whose parts have columns of different types is not supported; cast them";
                return Err(StatementError::unsupported(message, None));
            }
        }
        if is_cast {
            planned = self.second_part(common, &columns, &step, hidden)?;
        }
        let rows = CommonRows::Recursive(base_plan, planned, all);
        let plan = Some(Arc::new(self.common_plan(common, rows, None)));
        Ok(Common { name: common.name.clone(), columns, hidden: 0, is_table: false, plan })
    }

    fn second_part(
        &mut self,
        common: &CommonTable,
        columns: &[Column],
        step: &Select,
        hidden: usize,
    ) -> Result<Arc<SelectPlan>, StatementError> {
        let (name, columns) = (common.name.clone(), columns.to_vec());
        self.commons.push(Common { name, columns, hidden, is_table: false, plan: None });
        let planned = self.sub_query(step, None);
        self.commons.pop();
        Ok(planned?.plan)
    }

    /// Has UNION the type that the first part has?
    fn check_union(
        &mut self,
        name: &str,
        n: usize,
        [one, other]: [SqlType; 2],
        [base, step]: [&Select; 2],
    ) -> Result<(), StatementError> {
        let slot = |ty| Typed { node: Node::Slot(n as u16), ty };
        let is_open = matches!(base.targets.get(n), Some(Target::Expr { expr, .. }) if is_literal(&expr.node));
        let first = if is_open { Typed::constant(Value::Null, SqlType::plain(UNKNOWN)) } else { slot(one) };
        let pair = Vec::from([first, slot(other)]);
        let pair = self.analyze(&RangeTable::default(), "UNION", |analyzer| analyzer.common(pair, "UNION"));
        let mut overall = pair.map_err(|error| placed(error, step, n))?[0].ty;
        if overall.oid == one.oid {
            overall.typmod = if one == other { one.typmod } else { -1 };
        }
        if overall == one {
            return Ok(());
        }
        let (column, one, overall) = (n + 1, one.name(), overall.name());
        let message = format!(
            "recursive query \"{name}\" column {column} has type {one} in non-recursive term but type {overall} overall"
        );
        let hint = "Cast the output of the non-recursive term to the correct type.";
        let error = SqlError::new("42804", message).with_hint(hint);
        Err(placed(error.into(), base, n))
    }
}

const fn is_literal(expr: &ExprNode) -> bool {
    matches!(expr, ExprNode::Literal(Literal::String(_) | Literal::Null))
}

/// A cast around a target that is such an expression. False: it is not written out.
fn cast(select: &mut Select, n: usize, ty: SqlType, is_it: impl Fn(&ExprNode) -> bool) -> bool {
    let is_plain = |target: &Target| matches!(target, Target::Expr { .. });
    if select.set.is_some() || !select.targets.iter().take(n + 1).all(is_plain) {
        return false;
    }
    let Some(Target::Expr { expr, .. }) = select.targets.get_mut(n) else { return false };
    if is_it(&expr.node) {
        let position = expr.position;
        let node = core::mem::replace(&mut expr.node, ExprNode::Row(Vec::new()));
        expr.node = ExprNode::Cast(Box::new(Expr { node, position }), ty);
    }
    true
}

/// By which name the item, or one that it joins, is the table of that name.
fn alias_in<'a>(item: &'a FromItem, wanted: &str) -> Option<&'a String> {
    match item {
        FromItem::Table { name, alias, .. } if name.schema.is_none() && name.name == wanted => {
            Some(alias.as_ref().unwrap_or(&name.name))
        }
        FromItem::Join(join) => alias_in(&join.left, wanted).or_else(|| alias_in(&join.right, wanted)),
        _ => None,
    }
}

fn column_expr(table: &str, name: &str, position: Position) -> Expr {
    Expr { node: ExprNode::Column { table: Some(table.into()), name: name.into() }, position }
}

fn column_of(table: &str, name: &str) -> String {
    format!("{}.{}", quote_identifier(table), quote_identifier(name))
}

fn row(table: &str, columns: &[String]) -> String {
    let columns = columns.iter().map(|name| column_of(table, name));
    format!("ROW({})", columns.collect::<Vec<_>>().join(", "))
}

/// The columns that are added.
fn added(marks: &Marks) -> Vec<String> {
    let cycle = marks.cycle.iter().flat_map(|cycle| [&cycle.mark, &cycle.path]);
    marks.search.iter().map(|search| &search.name).chain(cycle).cloned().collect()
}

const fn order(search: &SearchClause) -> &'static str {
    if search.breadth { "row at depth" } else { "path with row" }
}

/// The marks of the first part's rows.
fn first_marks(marks: &Marks) -> String {
    let first = |function: &str, columns: &[String]| format!(", \"{function}\"(NULL, {})", row("*TLOCRN*", columns));
    let mut text = marks.search.as_ref().map_or_else(String::new, |it| first(order(it), &it.columns));
    if let Some(CycleClause { columns, values: [value, default], .. }) = &marks.cycle {
        text += &format!(", CASE WHEN false THEN {value} ELSE {default} END{}", first("path with row", columns));
    }
    text
}

/// Those of the second part's.
fn next_marks(marks: &Marks) -> String {
    let call = |function: &str, before: &str, columns: &[String]| {
        format!("\"{function}\"({}, {})", column_of("*TROCRN*", before), row("*TROCRN*", columns))
    };
    let of_search = |it: &SearchClause| format!(", {}", call(order(it), &it.name, &it.columns));
    let mut text = marks.search.as_ref().map_or_else(String::new, of_search);
    if let Some(CycleClause { columns, path, values: [value, default], .. }) = &marks.cycle {
        let has_row = call("path has row", path, columns);
        let path = call("path with row", path, columns);
        text += &format!(", CASE WHEN {has_row} THEN {value} ELSE {default} END, {path}");
    }
    text
}

/// `head FROM (query) alias(names) tail`
fn wrapped(head: &str, name: &str, names: &[String], query: Select, tail: &str) -> Result<Select, StatementError> {
    let text = format!("{head} FROM only_here {}{tail}", quote_identifier(name));
    let Statement::Select(mut select) = parse(&text)? else {
        return Err(StatementError::server("XX000", "a query"));
    };
    let alias = Some(name.into());
    select.from =
        Vec::from([FromItem::Query { query: Box::new(query), alias, columns: names.to_vec(), lateral: false }]);
    Ok(select)
}

/// `analyzeCTE`: which columns there are, and no name twice.
fn check_marks(marks: &Marks, names: &[String]) -> Result<(), StatementError> {
    let check_columns = |what: &str, columns: &[String], at: Position| {
        for (n, column) in columns.iter().enumerate() {
            if !names.contains(column) {
                let message = format!("{what} column \"{column}\" not in WITH query column list");
                return Err(StatementError::server("42601", message).at(at));
            }
            if columns[..n].contains(column) {
                let message = format!("{what} column \"{column}\" specified more than once");
                return Err(StatementError::server("42701", message).at(at));
            }
        }
        Ok(())
    };
    let check_new = |what: &str, name: &String, at: Position| match names.contains(name) {
        true => {
            let message = format!("{what} column name \"{name}\" already used in WITH query column list");
            Err(StatementError::server("42601", message).at(at))
        }
        false => Ok(()),
    };
    if let Some(search) = &marks.search {
        check_columns("search", &search.columns, search.position)?;
        check_new("search sequence", &search.name, search.position)?;
    }
    let Some(cycle) = &marks.cycle else { return Ok(()) };
    check_columns("cycle", &cycle.columns, cycle.position)?;
    check_new("cycle mark", &cycle.mark, cycle.position)?;
    check_new("cycle path", &cycle.path, cycle.position)?;
    let same = |one: &str, other: &str, at: Position| {
        let message = format!("{one} column name and {other} column name are the same");
        Err(StatementError::server("42601", message).at(at))
    };
    if cycle.mark == cycle.path {
        return same("cycle mark", "cycle path", cycle.position);
    }
    match &marks.search {
        Some(search) if search.name == cycle.mark => same("search sequence", "cycle mark", search.position),
        Some(search) if search.name == cycle.path => same("search sequence", "cycle path", search.position),
        _ => Ok(()),
    }
}
