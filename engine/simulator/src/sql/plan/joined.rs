//! UPDATE … FROM and DELETE … USING: the rows of a query whose first table is the one that is changed
//! (`transformUpdateStmt`, src/backend/parser/analyze.c; `preprocess_targetlist`,
//! src/backend/optimizer/prep/preptlist.c).
//!
//! ```text
//!  UPDATE t SET a = u.b FROM u WHERE t.id = u.id RETURNING u.c
//!  SELECT t.ctid, u.b, u.c FROM t, u WHERE t.id = u.id            as the planner of joins joins them (`joinrel`)
//! ```

use super::pulled::has_no_query;
use super::source::{Source, SourceRows};
use super::statement::Planner;
use super::{DeletePlan, Method, Plan, Returning, SelectPlan, UpdatePlan};
use super::{Output, OutputValue};
use crate::sql::StatementError;
use crate::sql::ast::{Assignment, Delete, Expr, ExprNode, FromItem, RangeVar, Select, Target, Update};
use crate::sql::catalog::{ColumnSource, TableInfo};
use crate::sql::error::{NOT_SIMULATED, Position};
use crate::sql::expr::{RangeTable, SYSTEM};
use crate::sql::plan::fold::fold;
use crate::sql::plan::query::Wanted;
use crate::version::Behaviour;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The rows that are changed.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedPlan {
    /// place, what SET says, columns of other items that RETURNING reads; the table is the first of its row
    pub query: Arc<SelectPlan>,
    /// columns that are set, from 0
    pub set: Vec<u16>,
    /// the slots of those that RETURNING reads, in the row of all items
    pub returned: Vec<u16>,
    /// how many slots the table has there, and how many there are
    pub width: (usize, usize),
}

/// What UPDATE and DELETE have in common.
struct Statement<'a> {
    table: &'a RangeVar,
    alias: Option<&'a str>,
    others: &'a [FromItem],
    filter: Option<&'a Expr>,
    set: &'a [Assignment],
    returning: &'a [Target],
    updates: bool,
}

impl Statement<'_> {
    fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let returned = self.returning.iter().filter_map(|target| match target {
            Target::Expr { expr, .. } => Some(expr),
            Target::Star(_) => None,
        });
        self.filter.into_iter().chain(self.set.iter().filter_map(|set| set.value.as_ref())).chain(returned)
    }
}

/// Its plan, with the table and RETURNING.
type Joined = (TableInfo, JoinedPlan, Option<Arc<Returning>>);

fn refuse(what: &str) -> StatementError {
    let way = "write it with a query in WHERE and SET, which reads the other table";
    StatementError::unsupported(alloc::format!("{what} is not supported; {way}"), None)
}

impl Planner<'_> {
    pub(super) fn update_from(&mut self, update: &Update) -> Result<Plan, StatementError> {
        let (table, alias) = (&update.table, update.alias.as_deref());
        let (filter, set, returning) = (update.filter.as_ref(), &update.set[..], &update.returning[..]);
        let whole = Statement { table, alias, others: &update.from, filter, set, returning, updates: true };
        let (info, joined, returning) = self.joined(&whole)?;
        let scan = Wanted::nothing(&info).into();
        let joined = Some(joined.into());
        Ok(Plan::Update(UpdatePlan { scan, set: Arc::new([]), joined, returning, checks: Arc::default() }))
    }

    pub(super) fn delete_using(&mut self, delete: &Delete) -> Result<Plan, StatementError> {
        let (table, alias) = (&delete.table, delete.alias.as_deref());
        let (filter, returning) = (delete.filter.as_ref(), &delete.returning[..]);
        let whole = Statement { table, alias, others: &delete.using, filter, set: &[], returning, updates: false };
        let (info, joined, returning) = self.joined(&whole)?;
        Ok(Plan::Delete(DeletePlan { scan: Wanted::nothing(&info).into(), joined: Some(joined.into()), returning }))
    }

    /// UPDATE with a query in WHERE that is joined (`pull_up_sublinks`), where it is known how.
    pub(super) fn joined_update(&mut self, update: &Update) -> Option<Plan> {
        let is_joined = update.current_of.is_none() && asks_query(update.filter.as_ref());
        if is_joined { self.update_from(update).ok().filter(is_join) } else { None }
    }

    /// DELETE likewise.
    pub(super) fn joined_delete(&mut self, delete: &Delete) -> Option<Plan> {
        let is_joined = delete.current_of.is_none() && asks_query(delete.filter.as_ref());
        if is_joined { self.delete_using(delete).ok().filter(is_join) } else { None }
    }

    fn joined(&mut self, statement: &Statement<'_>) -> Result<Joined, StatementError> {
        let outside = core::mem::replace(&mut self.changes_rows, true);
        let planned = self.planned_join(statement);
        self.changes_rows = outside;
        planned
    }

    fn planned_join(&mut self, statement: &Statement<'_>) -> Result<Joined, StatementError> {
        let table = self.table(statement.table)?;
        let (name, alias) = (statement.table.clone(), statement.alias.map(ToString::to_string));
        let target = FromItem::Table { name, alias, columns: Vec::new(), sample: None };
        let items: Vec<FromItem> = core::iter::once(target).chain(statement.others.iter().map(of_one_row)).collect();
        let range = self.from(&items)?.range;
        match self.filter(&range, statement.filter, Some(&table)) {
            Err(error) if error.error.sqlstate != NOT_SIMULATED => return Err(error),
            _ => {}
        }
        let returning = self.returning_of(&table, range.clone(), statement.returning, statement.updates)?;
        let width = (table.columns.len() + SYSTEM.len(), usize::from(range.width()));
        let returned = returned(returning.as_deref(), width);
        let set = self.assignments(&range, &table, statement.set)?;
        let mut targets = Vec::from([column("ctid", &range.entries[0].name)]);
        targets.extend(statement.set.iter().filter_map(|set| set.value.clone()).map(output_of));
        targets.extend(returned.iter().filter_map(|slot| column_at(&range, *slot)));
        // before 14 the columns that stay as they are come out too
        let kept = if statement.updates && !self.version().fetches_old_row() { table.columns.len() } else { 0 };
        let kept = (0..kept as u16).filter(|slot| set.iter().all(|set| set.column != *slot));
        targets.extend(kept.filter_map(|slot| column_at(&range, slot)));
        let (from, filter) = (items, statement.filter.cloned());
        let mut query = self.select_for(&Select { targets, from, filter, ..Select::default() }, true)?;
        let is_nothing = query.scan.as_ref().is_some_and(|scan| scan.method == Method::Nothing);
        if query.join.is_none() && !query.sources.is_empty() && !is_nothing {
            return Err(refuse("UPDATE … FROM or DELETE … USING of items whose join is not known for certain"));
        }
        let locks = |source: &&Source| matches!(&source.rows, SourceRows::Common(common) if common.locking().is_some());
        let count = query.sources.iter().filter(locks).count();
        if count > 1 || count > 0 && !statement.exprs().all(has_no_query) {
            return Err(refuse(
                "UPDATE … FROM or DELETE … USING of a query of WITH that locks rows, and is read twice,",
            ));
        }
        query.targets = self.assigned_outputs(&table, statement.set, core::mem::take(&mut query.targets))?;
        let set = set.iter().map(|set| set.column).collect();
        Ok((table, JoinedPlan { query: query.into(), set, returned, width }, returning))
    }

    /// What comes out of the query, with what SET says as the columns have it.
    fn assigned_outputs(
        &mut self,
        table: &TableInfo,
        set: &[Assignment],
        outputs: Vec<Output>,
    ) -> Result<Vec<Output>, StatementError> {
        let mut given = outputs.into_iter();
        let mut all: Vec<Output> = given.by_ref().take(1).collect();
        for Assignment { column: name, value } in set {
            let info = &table.columns[usize::from(self.set_column(table, name, value.is_some())?)];
            let assigned = match value {
                None if info.source == ColumnSource::Generated => continue,
                None => self.default(info)?,
                Some(_) => {
                    let value = given.next().and_then(|output| output.value.expr().cloned());
                    let value = value.ok_or_else(|| refuse("a function with rows in SET"))?;
                    let nothing = RangeTable::default();
                    self.analyze(&nothing, "UPDATE", |analyzer| analyzer.assign(value, name, info.assigned()))?
                }
            };
            let value = OutputValue::Expr(fold(assigned, self.catalog.input())?);
            all.push(Output { name: name.clone(), value });
        }
        all.extend(given);
        Ok(all)
    }
}

fn is_join(plan: &Plan) -> bool {
    plan.joined().is_some_and(|query| query.join.is_some())
}

/// Is a query among what is asked?
fn asks_query(filter: Option<&Expr>) -> bool {
    filter.is_some_and(|filter| match &filter.node {
        ExprNode::Query { .. } => true,
        ExprNode::And(parts) => parts.iter().any(|part| asks_query(Some(part))),
        ExprNode::Not(inner) => asks_query(Some(inner)),
        _ => false,
    })
}

/// The slots of other items that RETURNING reads.
fn returned(returning: Option<&Returning>, (own, all): (usize, usize)) -> Vec<u16> {
    let mut slots = Vec::new();
    returning.into_iter().flat_map(|it| &it.targets).for_each(|target| target.slots(&mut slots));
    slots.retain(|slot| (own..all).contains(&usize::from(*slot)));
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// An item of VALUES with one row as a query of that row, which may be pulled up (`is_simple_values`).
pub(super) fn of_one_row(item: &FromItem) -> FromItem {
    let FromItem::Query { query, alias, columns, lateral: false } = item else { return item.clone() };
    let [row] = &query.values[..] else { return item.clone() };
    let is_alone = **query == Select { values: query.values.clone(), ..Select::default() };
    if !is_alone {
        return item.clone();
    }
    let named = |(n, expr): (usize, Expr)| {
        let alias = Some(columns.get(n).cloned().unwrap_or_else(|| alloc::format!("column{}", n + 1)));
        Target::Expr { expr, alias }
    };
    let targets = row.iter().cloned().enumerate().map(named).collect();
    let query = Box::new(Select { targets, ..Select::default() });
    FromItem::Query { query, alias: alias.clone(), columns: Vec::new(), lateral: false }
}

const fn output_of(expr: Expr) -> Target {
    Target::Expr { expr, alias: None }
}

pub(super) fn column(name: &str, table: &str) -> Target {
    let node = ExprNode::Column { table: Some(table.to_string()), name: name.to_string() };
    output_of(Expr { node, position: Position { line: 1, column: 1 } })
}

/// The column at that place of the row of all items; none for one that was dropped.
pub(super) fn column_at(range: &RangeTable, slot: u16) -> Option<Target> {
    let entry = range.entries.iter().rev().find(|entry| entry.first <= slot)?;
    let place = usize::from(slot - entry.first);
    let name = match entry.columns.get(place) {
        Some(column) => column.name.as_str(),
        None => SYSTEM.get(place - entry.columns.len())?.0,
    };
    (!name.is_empty()).then(|| column(name, &entry.name))
}
