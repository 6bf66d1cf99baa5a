//! UPDATE … FROM and DELETE … USING: rows of the table joined with those of another item (`transformUpdateStmt`,
//! src/backend/parser/analyze.c; src/backend/optimizer/path/joinpath.c).
//!
//! In which order the rows come out, and so where new versions lie, decides the way to join, which is not planned here:
//!
//! ```text
//!  hash or merge join   both sides are read whole; the order is that of one side, or of the key
//!  nested loop          only those rows of one side are read that an index finds
//! ```
//!
//! So a statement is run where its rows have one partner each and come in the same order by either side and by the key,
//! which is found out when
//! it runs (`executor/modify_joined.rs`), and where reading both sides whole is cheaper than an index scan for each row
//! could be.

use super::fold::fold;
use super::query::Wanted;
use super::source::SourceRows;
use super::statement::Planner;
use super::{DeletePlan, Output, OutputValue, SelectPlan, UpdatePlan};
use crate::sql::StatementError;
use crate::sql::ast::{Assignment, BinaryOp, Delete, Expr, ExprNode, FromItem, RangeVar, Select, Target, Update};
use crate::sql::catalog::{ColumnSource, TableInfo};
use crate::sql::error::Position;
use crate::sql::expr::{Node, RangeTable, SYSTEM, Typed};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Pages that an index scan reads at least.
const FIRST_PAGES: f64 = 2.0;
/// What each of many index scans costs at least: the descent.
const DESCENT: f64 = 0.14;
/// What a row costs at most that is put into a hash table, or looked for there.
const HASHED: f64 = 0.02;

/// The rows that are changed.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedPlan {
    /// place, columns (none for those that were dropped), and what SET says, a value each
    pub query: Arc<SelectPlan>,
    /// numbers of the table's columns that stand behind the place, from 0
    pub columns: Vec<u16>,
    /// columns that are set, from 0
    pub set: Vec<u16>,
    /// place, number or place of the other item's row, and values of the keys: in which order the rows come
    pub order: Arc<SelectPlan>,
}

/// What UPDATE and DELETE have in common.
struct Statement<'a> {
    table: &'a RangeVar,
    alias: Option<&'a str>,
    others: &'a [FromItem],
    filter: Option<&'a Expr>,
    set: &'a [Assignment],
    returning: &'a [Target],
}

fn refuse(what: &str) -> StatementError {
    let way = "write it with a query in WHERE and SET, which reads the other table";
    StatementError::unsupported(alloc::format!("{what} is not supported; {way}"), None)
}

impl Planner<'_> {
    pub(super) fn update_from(&mut self, update: &Update) -> Result<UpdatePlan, StatementError> {
        let (table, alias) = (&update.table, update.alias.as_deref());
        let (filter, returning) = (update.filter.as_ref(), &update.returning[..]);
        let whole = Statement { table, alias, others: &update.from, filter, set: &update.set, returning };
        let (info, joined) = self.joined(&whole)?;
        let returning = self.returning(&info, alias, returning, true).map_err(of_other_item)?;
        Ok(UpdatePlan {
            scan: Wanted::nothing(&info).into(),
            set: Arc::new([]),
            joined: Some(joined.into()),
            returning,
        })
    }

    pub(super) fn delete_using(&mut self, delete: &Delete) -> Result<DeletePlan, StatementError> {
        let (table, alias) = (&delete.table, delete.alias.as_deref());
        let (filter, returning) = (delete.filter.as_ref(), &delete.returning[..]);
        let whole = Statement { table, alias, others: &delete.using, filter, set: &[], returning };
        let (info, joined) = self.joined(&whole)?;
        let returning = self.returning(&info, alias, returning, false).map_err(of_other_item)?;
        Ok(DeletePlan { scan: Wanted::nothing(&info).into(), joined: Some(joined.into()), returning })
    }

    fn joined(&mut self, statement: &Statement<'_>) -> Result<(TableInfo, JoinedPlan), StatementError> {
        let [other] = statement.others else { return Err(refuse("UPDATE or DELETE with more than one other table")) };
        if statement.returning.iter().any(|target| matches!(target, Target::Star(_))) {
            return Err(refuse("RETURNING * of joined rows"));
        }
        let table = self.table(statement.table)?;
        let query = self.rows_of(statement, &table, other.clone())?;
        let mut order = self.order_of(statement, &table, other)?;
        let keys = keys(&order, table.columns.len() + SYSTEM.len());
        let most = match other {
            FromItem::Query { query, .. } => Some(query.values.len() as f64),
            _ => None,
        };
        self.check_cost(&table, &order, &keys, most)?;
        let key = |key: &Typed| Output { name: String::new(), value: OutputValue::Expr(key.clone()) };
        order.targets.extend(keys.iter().map(|(of_table, _)| key(of_table)));
        let columns = there(&table);
        let (mut query, mut set) = (query, Vec::new());
        let mut values = query.targets.split_off(1 + columns.len()).into_iter();
        for Assignment { column: name, value } in statement.set {
            let column = self.set_column(&table, name, value.is_some())?;
            let info = &table.columns[usize::from(column)];
            if set.contains(&column) {
                let message = alloc::format!("multiple assignments to same column \"{name}\"");
                return Err(StatementError::server("42601", message));
            }
            let assigned = match value {
                None if info.source == ColumnSource::Generated => continue,
                None => self.default(info)?,
                Some(_) => {
                    let value = values.next().and_then(|output| output.value.expr().cloned());
                    let value = value.ok_or_else(|| refuse("a function with rows in SET"))?;
                    let nothing = RangeTable::default();
                    self.analyze(&nothing, "UPDATE", |analyzer| analyzer.assign(value, name, info.ty()))?
                }
            };
            let value = OutputValue::Expr(fold(assigned, self.catalog.input())?);
            query.targets.push(Output { name: name.clone(), value });
            set.push(column);
        }
        Ok((table, JoinedPlan { query: query.into(), columns, set, order: order.into() }))
    }

    /// The table joined with the other item: the row's place, its columns, the values that are written in SET.
    fn rows_of(
        &mut self,
        statement: &Statement<'_>,
        table: &TableInfo,
        other: FromItem,
    ) -> Result<SelectPlan, StatementError> {
        let shown = statement.alias.unwrap_or(&table.name);
        let mut targets = Vec::from([column(Some(shown), "ctid")]);
        let columns = there(table).into_iter().map(|n| &table.columns[usize::from(n)].attribute.name);
        targets.extend(columns.map(|name| column(Some(shown), name)));
        let written = statement.set.iter().filter_map(|set| set.value.clone());
        targets.extend(written.map(|expr| Target::Expr { expr, alias: None }));
        self.select_for(&self.query_of(statement, other, targets), true)
    }

    /// In which order they come.
    fn order_of(
        &mut self,
        statement: &Statement<'_>,
        table: &TableInfo,
        other: &FromItem,
    ) -> Result<SelectPlan, StatementError> {
        const NUMBER: &str = "?number?";
        let shown = statement.alias.unwrap_or(&table.name);
        let number = |item: FromItem| match item {
            FromItem::Table { sample: Some(_), .. } => {
                let message = "TABLESAMPLE of one of several tables is not supported";
                Err(StatementError::unsupported(message, None))
            }
            FromItem::Table { name, alias, columns, sample: None } if self.catalog.kind(&name).is_some() => {
                let target = column(Some(alias.as_deref().unwrap_or(&name.name)), "ctid");
                Ok((FromItem::Table { name, alias, columns, sample: None }, target))
            }
            FromItem::Query { query, alias, columns, lateral: false } if !query.values.is_empty() => {
                Ok((numbered(query, alias.as_deref(), columns, NUMBER), column(alias.as_deref(), NUMBER)))
            }
            _ => Err(refuse("UPDATE or DELETE with another item than a table or VALUES")),
        };
        let (other, number) = number(other.clone())?;
        let targets = Vec::from([column(Some(shown), "ctid"), number]);
        self.select(&self.query_of(statement, other, targets))
    }

    fn query_of(&self, statement: &Statement<'_>, other: FromItem, targets: Vec<Target>) -> Select {
        let (name, alias) = (statement.table.clone(), statement.alias.map(ToString::to_string));
        let table = FromItem::Table { name, alias, columns: Vec::new(), sample: None };
        let (from, filter) = (Vec::from([table, other]), statement.filter.cloned());
        Select { targets, from, filter, ..Select::default() }
    }

    /// Is reading both sides whole certainly the cheaper way?
    fn check_cost(
        &self,
        table: &TableInfo,
        plan: &SelectPlan,
        keys: &[(Typed, Typed)],
        written: Option<f64>,
    ) -> Result<(), StatementError> {
        let unknown = || refuse("UPDATE … FROM or DELETE … USING by a nested loop");
        let (Some(scan), [source]) = (&plan.scan, &plan.sources[..]) else { return Err(unknown()) };
        let (other_cost, other_rows, other) = match &source.rows {
            // how many are left by conditions of its own is not known
            SourceRows::Table(scan) if source.filter.len() + source.on.len() > keys.len() => {
                (scan.cost.total, 1.0, Some(scan.table))
            }
            SourceRows::Table(scan) => (scan.cost.total, scan.rows, Some(scan.table)),
            SourceRows::Query(_) => (HASHED * written.unwrap_or(0.0), written.unwrap_or(0.0), None),
            _ => return Err(unknown()),
        };
        let whole = scan.cost.total + other_cost + HASHED * (scan.rows + other_rows);
        let loops = |outer: f64, rows: f64| outer + FIRST_PAGES * table.page_costs.random + DESCENT * rows;
        let is_indexed = |info: &TableInfo, of_other: bool| {
            let first = (table.columns.len() + SYSTEM.len()) as u16;
            info.indexes.iter().filter_map(|index| index.keys.first()).any(|key| {
                keys.iter().any(|(left, right)| match (&key.expr.node, &right.node) {
                    (Node::Slot(slot), Node::Slot(right)) if of_other => slot + first == *right,
                    (node, _) => !of_other && *node == left.node,
                })
            })
        };
        let mut cheapest = f64::INFINITY;
        if is_indexed(table, false) {
            cheapest = cheapest.min(loops(other_cost, other_rows));
        }
        if let Some(info) = other.and_then(|oid| self.catalog.table_of(oid))
            && is_indexed(&info, true)
        {
            cheapest = cheapest.min(loops(scan.cost.total, scan.rows));
        }
        if whole < cheapest { Ok(()) } else { Err(unknown()) }
    }
}

/// Numbers of the columns that were not dropped.
fn there(table: &TableInfo) -> Vec<u16> {
    let all = table.columns.iter().enumerate();
    all.filter(|(_, column)| !column.attribute.dropped).map(|(n, _)| n as u16).collect()
}

fn column(table: Option<&str>, name: &str) -> Target {
    let node = ExprNode::Column { table: table.map(ToString::to_string), name: name.to_string() };
    Target::Expr { expr: Expr { node, position: Position { line: 1, column: 1 } }, alias: None }
}

/// The query with the number of each row in a further column.
fn numbered(query: Box<Select>, alias: Option<&str>, columns: Vec<String>, number: &str) -> FromItem {
    let position = Position { line: 1, column: 1 };
    let over = Some(Box::default());
    let (name, args) = ("row_number".to_string(), Vec::new());
    let node =
        ExprNode::Function { name, args, star: false, distinct: false, order_by: Vec::new(), filter: None, over };
    let count = Target::Expr { expr: Expr { node, position }, alias: Some(number.to_string()) };
    let inner = FromItem::Query { query, alias: Some("?rows?".to_string()), columns, lateral: false };
    let query =
        Select { targets: Vec::from([Target::Star(None), count]), from: Vec::from([inner]), ..Select::default() };
    let alias = alias.map(ToString::to_string);
    FromItem::Query { query: Box::new(query), alias, columns: Vec::new(), lateral: false }
}

/// Equalities between a column of the table and something of the other item.
fn keys(plan: &SelectPlan, width: usize) -> Vec<(Typed, Typed)> {
    let clauses =
        plan.filter.iter().chain(plan.sources.iter().flat_map(|source| source.filter.iter().chain(&source.on)));
    let is_of_table = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if usize::from(slot) < width);
    let is_of_other = |expr: &Typed| {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        !slots.is_empty() && slots.iter().all(|slot| usize::from(*slot) >= width)
    };
    let key = |clause: &Typed| match &clause.node {
        Node::Binary(BinaryOp::Eq, pair) if is_of_table(&pair.0) && is_of_other(&pair.1) => {
            Some((pair.0.clone(), pair.1.clone()))
        }
        Node::Binary(BinaryOp::Eq, pair) if is_of_table(&pair.1) && is_of_other(&pair.0) => {
            Some((pair.1.clone(), pair.0.clone()))
        }
        _ => None,
    };
    clauses.filter_map(key).collect()
}

/// RETURNING may read columns of the other item.
fn of_other_item(error: StatementError) -> StatementError {
    if matches!(error.error.sqlstate, "42P01" | "42703" | "42702") {
        return refuse("RETURNING columns of the other table");
    }
    error
}
