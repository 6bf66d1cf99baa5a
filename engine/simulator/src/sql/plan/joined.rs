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
//! could be. Others are joined as MERGE is (`merge_join.rs`), where that is certain to be the way a server takes.

use super::fold::fold;
use super::merge::MergeCommand;
use super::query::Wanted;
use super::source::{CommonRows, SourceRows};
use super::statement::Planner;
use super::{DeletePlan, MergePlan, Output, OutputValue, Plan, Returning, SelectPlan, UpdatePlan};
use crate::sql::StatementError;
use crate::sql::ast::{
    Assignment, BinaryOp, Delete, Expr, ExprNode, FromItem, Merge, MergeAction, MergeMatch, MergeWhen, RangeVar,
    Select, Target, Update,
};
use crate::sql::catalog::{ColumnSource, TableInfo};
use crate::sql::error::{Position, Refusal};
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
    /// how they are joined where that decides the order
    pub otherwise: Option<Arc<MergePlan>>,
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

/// What a joined statement is planned to do: as its rows come in any way, or as MERGE's do.
enum Planned {
    Joined(Box<(TableInfo, JoinedPlan, Option<Arc<Returning>>)>),
    Merge(Arc<MergePlan>),
}

impl Planner<'_> {
    pub(super) fn update_from(&mut self, update: &Update) -> Result<Plan, StatementError> {
        let (table, alias) = (&update.table, update.alias.as_deref());
        let (filter, returning) = (update.filter.as_ref(), &update.returning[..]);
        let whole = Statement { table, alias, others: &update.from, filter, set: &update.set, returning };
        let action = MergeAction::Update(update.set.clone());
        Ok(match self.any_way(&whole, MergeCommand::Update, action)? {
            Planned::Merge(plan) => Plan::Merge(plan),
            Planned::Joined(parts) => {
                let (info, joined, returning) = *parts;
                let scan = Wanted::nothing(&info).into();
                Plan::Update(UpdatePlan {
                    scan,
                    set: Arc::new([]),
                    joined: Some(joined.into()),
                    returning,
                    checks: Arc::default(),
                })
            }
        })
    }

    pub(super) fn delete_using(&mut self, delete: &Delete) -> Result<Plan, StatementError> {
        let (table, alias) = (&delete.table, delete.alias.as_deref());
        let (filter, returning) = (delete.filter.as_ref(), &delete.returning[..]);
        let whole = Statement { table, alias, others: &delete.using, filter, set: &[], returning };
        Ok(match self.any_way(&whole, MergeCommand::Delete, MergeAction::Delete)? {
            Planned::Merge(plan) => Plan::Merge(plan),
            Planned::Joined(parts) => {
                let (info, joined, returning) = *parts;
                Plan::Delete(DeletePlan { scan: Wanted::nothing(&info).into(), joined: Some(joined.into()), returning })
            }
        })
    }

    fn any_way(
        &mut self,
        statement: &Statement<'_>,
        command: MergeCommand,
        action: MergeAction,
    ) -> Result<Planned, StatementError> {
        let replaces = command == MergeCommand::Update;
        let plans_joins = core::mem::take(&mut self.plans_joins);
        let any_order = self.joined(statement).and_then(|(info, joined)| {
            let returning = self.returning(&info, statement.alias, statement.returning, replaces);
            Ok((info, joined, returning.map_err(of_other_item)?))
        });
        let planned = self.planned_join(statement, command, action, any_order.as_ref().err());
        self.plans_joins = plans_joins;
        let planned = planned?;
        match (any_order, planned) {
            (Err(_), Some(planned)) => Ok(Planned::Merge(planned)),
            (any_order, otherwise) => any_order.map(|(info, joined, returning)| {
                Planned::Joined(Box::new((info, JoinedPlan { otherwise, ..joined }, returning)))
            }),
        }
    }

    /// The same joined as MERGE joins it, in the one order that a server has; `refused`: why it is not known to have
    /// the same order in any way.
    fn planned_join(
        &mut self,
        statement: &Statement<'_>,
        command: MergeCommand,
        action: MergeAction,
        refused: Option<&StatementError>,
    ) -> Result<Option<Arc<MergePlan>>, StatementError> {
        if refused.is_some_and(|error| error.refusal != Refusal::Unsupported) {
            return Ok(None);
        }
        let ([other], Some(filter)) = (statement.others, statement.filter) else { return Ok(None) };
        let table = self.table(statement.table)?;
        let Some((source, on)) = self.of_source_first(&table, statement, other, filter)? else { return Ok(None) };
        let when = MergeWhen { kind: MergeMatch::Matched, filter: None, action };
        let merge = Merge {
            table: statement.table.clone(),
            alias: statement.alias.map(ToString::to_string),
            source,
            on,
            whens: Vec::from([when]),
            returning: statement.returning.to_vec(),
        };
        // what PostgreSQL has against it was told above
        let Ok(mut plan) = self.merge(&merge, command) else { return Ok(None) };
        if !statement.has_queries()
            && let Some(query) = only_common(&plan.source)
        {
            plan.source = query;
        }
        Ok(Some(Arc::new(plan)))
    }

    /// The other item with the conditions that are on it alone, and the other ones.
    fn of_source_first(
        &mut self,
        table: &TableInfo,
        statement: &Statement<'_>,
        other: &FromItem,
        filter: &Expr,
    ) -> Result<Option<(FromItem, Expr)>, StatementError> {
        if matches!(other, FromItem::Join(_) | FromItem::Query { lateral: true, .. }) {
            return Ok(None);
        }
        let parts = match &filter.node {
            ExprNode::And(parts) => parts.clone(),
            _ => Vec::from([filter.clone()]),
        };
        let with_system = with_system(statement, other);
        let other = with_system.as_ref().unwrap_or(other);
        let (_, columns, name) = self.merge_source(other)?;
        let of_target: Vec<String> = table.columns.iter().map(|column| column.attribute.name.clone()).collect();
        let mut range = RangeTable::default();
        range.add(&name, columns);
        let mut is_of_source = |part: &Expr| {
            let mut names = Vec::new();
            columns_of(part, &mut names);
            let is_its = |(table, column): &(Option<String>, String)| match table {
                Some(table) => *table == name,
                None => !of_target.contains(column),
            };
            !names.is_empty()
                && names.iter().all(is_its)
                && self.analyze(&range, "WHERE", |analyzer| analyzer.condition(part)).is_ok()
        };
        let (own, join): (Vec<Expr>, Vec<Expr>) = parts.into_iter().partition(|part| is_of_source(part));
        let both = |mut parts: Vec<Expr>| match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Expr { node: ExprNode::And(parts), position: filter.position }),
        };
        let Some(on) = both(join) else { return Ok(None) };
        let Some(own) = both(own) else { return Ok(Some((other.clone(), on))) };
        if let FromItem::Query { query, alias, columns, lateral } = other
            && with_system.is_some()
        {
            let query = Box::new(Select { filter: Some(own), ..(**query).clone() });
            let (alias, columns, lateral) = (alias.clone(), columns.clone(), *lateral);
            return Ok(Some((FromItem::Query { query, alias, columns, lateral }, on)));
        }
        let (targets, from) = (Vec::from([Target::Star(None)]), Vec::from([other.clone()]));
        let query = Box::new(Select { targets, from, filter: Some(own), ..Select::default() });
        Ok(Some((FromItem::Query { query, alias: Some(name), columns: Vec::new(), lateral: false }, on)))
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
                    self.analyze(&nothing, "UPDATE", |analyzer| analyzer.assign(value, name, info.assigned()))?
                }
            };
            let value = OutputValue::Expr(fold(assigned, self.catalog.input())?);
            query.targets.push(Output { name: name.clone(), value });
            set.push(column);
        }
        Ok((table, JoinedPlan { query: query.into(), columns, set, order: order.into(), otherwise: None }))
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

/// The query of WITH where its rows are all that is read: they are asked for one by one (`CteScanNext`).
fn only_common(plan: &SelectPlan) -> Option<Arc<SelectPlan>> {
    let (None, [source]) = (&plan.scan, &plan.sources[..]) else { return None };
    let SourceRows::Common(common) = &source.rows else { return None };
    let CommonRows::Query(query) = &common.rows else { return None };
    let is_same = |(n, output): (usize, &Output)| output.value.expr().is_some_and(|it| it.node == Node::Slot(n as u16));
    let is_whole = plan.targets.len() == query.targets.len() && plan.targets.iter().enumerate().all(is_same);
    (is_whole && plan.filter.is_empty() && source.filter.is_empty()).then(|| query.clone())
}

impl Statement<'_> {
    /// Is there a query within an expression, which may read what WITH names, too?
    fn has_queries(&self) -> bool {
        fn has_query(expr: &Expr) -> bool {
            matches!(expr.node, ExprNode::Query { .. }) || expr.children().into_iter().any(has_query)
        }
        let returned = self.returning.iter().filter_map(|target| match target {
            Target::Expr { expr, .. } => Some(expr),
            Target::Star(_) => None,
        });
        let set = self.set.iter().filter_map(|set| set.value.as_ref());
        self.filter.into_iter().chain(set).chain(returned).any(has_query)
    }
}

/// A table as a query that gives the system columns that are named, too.
fn with_system(statement: &Statement<'_>, other: &FromItem) -> Option<FromItem> {
    let FromItem::Table { name, alias, columns, sample: None } = other else { return None };
    let shown = alias.as_ref().unwrap_or(&name.name);
    let mut named = Vec::new();
    let set = statement.set.iter().filter_map(|set| set.value.as_ref());
    let returned = statement.returning.iter().filter_map(|target| match target {
        Target::Expr { expr, .. } => Some(expr),
        Target::Star(_) => None,
    });
    statement.filter.into_iter().chain(set).chain(returned).for_each(|expr| columns_of(expr, &mut named));
    let is_named = |system: &str| named.iter().any(|(of, name)| of.as_ref() == Some(shown) && name == system);
    let system: Vec<Target> =
        SYSTEM.iter().filter(|(name, _)| is_named(name)).map(|(name, _)| column(Some(shown), name)).collect();
    let target = statement.alias.unwrap_or(&statement.table.name);
    let gives_all = |returned: &Target| matches!(returned, Target::Star(of) if of.as_deref() != Some(target));
    if system.is_empty() || statement.returning.iter().any(gives_all) {
        return None;
    }
    let targets = core::iter::once(Target::Star(None)).chain(system).collect();
    let (name, alias, columns) = (name.clone(), alias.clone(), columns.clone());
    let table = FromItem::Table { name, alias, columns, sample: None };
    let query = Box::new(Select { targets, from: Vec::from([table]), ..Select::default() });
    Some(FromItem::Query { query, alias: Some(shown.clone()), columns: Vec::new(), lateral: false })
}

/// The columns that are named.
fn columns_of(expr: &Expr, found: &mut Vec<(Option<String>, String)>) {
    if let ExprNode::Column { table, name } = &expr.node {
        found.push((table.clone(), name.clone()));
    }
    expr.children().into_iter().for_each(|child| columns_of(child, found));
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
