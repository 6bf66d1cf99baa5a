//! MERGE: the source and the table joined, and what is done with each row (`transformMergeStmt`,
//! src/backend/parser/parse_merge.c; `transform_MERGE_to_join`, src/backend/optimizer/prep/prepjointree.c).
//!
//! ```text
//!  actions for                   the join                 a row: the table's columns, its system columns, the source's
//!  MATCHED only                  inner
//!  NOT MATCHED                   keeps the source's rows
//!  NOT MATCHED BY SOURCE         keeps the table's rows
//! ```
//!
//! Which side is read first, and whether an index finds the table's rows one by one, is in `merge_join.rs`.

use super::fold::parts;
use super::merge_join::{MergeJoin, grouped};
use super::statement::{Planner, range_of};
use super::targets::name_of;
use super::{Output, Returning, Scan, SelectPlan, SetColumn};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, FromItem, Merge, MergeAction, MergeMatch, MergeWhen, Select, Target};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Column, RangeTable, SYSTEM, Typed};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::{Oid, PgVersion};

/// The name of what `merge_action()` reads.
const ACTION: &str = "?action?";

/// MERGE.
#[derive(Debug, Clone, PartialEq)]
pub struct MergePlan {
    /// the table
    pub table: Oid,
    /// its name
    pub name: String,
    /// its columns with the system columns, which stand before those of the source
    pub width: usize,
    /// the source's rows
    pub source: Arc<SelectPlan>,
    /// how they meet those of the table
    pub join: MergeJoin,
    /// what is done, by the kind of row, the first whose condition holds
    pub whens: Arc<[PlannedWhen]>,
    /// RETURNING, over the row as it is then, the source's row, and the action's name
    pub returning: Option<Arc<Returning>>,
}

impl MergePlan {
    /// The scan that gives the source's rows, where they are grouped at most.
    #[must_use]
    pub fn scan_of_source(&self) -> Option<&Scan> {
        grouped(&self.source).unwrap_or(&self.source).scan.as_deref()
    }
}

/// WHEN.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedWhen {
    /// of which rows
    pub kind: MergeMatch,
    /// AND
    pub filter: Vec<Typed>,
    /// THEN
    pub action: PlannedAction,
}

/// THEN.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedAction {
    /// DO NOTHING
    Nothing,
    /// DELETE
    Delete,
    /// UPDATE
    Update(Arc<[SetColumn]>),
    /// INSERT: a value for each column
    Insert(Arc<[Typed]>),
}

/// The names that expressions see.
struct Ranges {
    both: RangeTable,
    source: RangeTable,
    target: RangeTable,
}

impl Planner<'_> {
    pub(super) fn merge(&mut self, merge: &Merge) -> Result<MergePlan, StatementError> {
        check_reachable(&merge.whens)?;
        let table = self.table(&merge.table)?;
        let shown = merge.alias.as_deref().unwrap_or(&table.name);
        let (source, columns, name) = self.merge_source(&merge.source)?;
        if name == shown {
            let error = SqlError::new("42712", format!("name \"{name}\" specified more than once"));
            let detail = "The name is used both as MERGE target table and data source.";
            return Err(error.with_detail(detail.to_string()).into());
        }
        let target = range_of(&table, merge.alias.as_deref());
        let width = table.columns.len() + SYSTEM.len();
        let mut both = target.clone();
        both.add(&name, columns);
        let source_only = RangeTable { entries: both.entries[1..].to_vec(), ..RangeTable::default() };
        let ranges = Ranges { both, source: source_only, target };
        let on = self.analyze(&ranges.both, "JOIN/ON", |analyzer| analyzer.condition(&merge.on))?;
        let never = || Vec::from([Typed::constant(Value::Bool(false), SqlType::BOOL)]);
        let on = parts(on, self.catalog.input())?.unwrap_or_else(never);
        let whens = merge.whens.iter().map(|when| self.merge_when(&table, shown, &ranges, when));
        let whens = whens.collect::<Result<Arc<[_]>, _>>()?;
        let returning = self.merge_returning(&table, &ranges, &merge.returning)?;
        // with DO NOTHING no row has to stay
        let does = |when: &MergeWhen| !matches!(when.action, MergeAction::Nothing);
        let keeps = |kind| merge.whens.iter().any(|when| when.kind == kind && does(when));
        let keeps = (keeps(MergeMatch::ByTarget), keeps(MergeMatch::BySource));
        let join = self.merge_join(&table, width, &source, on, keeps)?;
        let (name, source) = (table.name, source.into());
        Ok(MergePlan { table: table.oid, name, width, source, join, whens, returning })
    }

    /// The source's rows, its columns and its name.
    fn merge_source(
        &mut self,
        item: &FromItem,
    ) -> Result<(SelectPlan, Vec<Column>, String), StatementError> {
        let name = match item {
            FromItem::Table { name, alias, .. } => alias.clone().unwrap_or_else(|| name.name.clone()),
            FromItem::Query { alias, .. } => alias.clone().unwrap_or_default(),
            FromItem::Function { call, alias, .. } => name_of(call, alias.as_ref(), self.major()),
            FromItem::Join(_) => {
                let message = "MERGE USING of joined tables is not supported; put the join into a query";
                return Err(StatementError::unsupported(message, None));
            }
        };
        let select = match item {
            // it is pulled up
            FromItem::Query { query, columns, lateral: false, .. } if columns.is_empty() && is_simple(query) => {
                (**query).clone()
            }
            item => Select {
                targets: Vec::from([Target::Star(None)]),
                from: Vec::from([item.clone()]),
                ..Select::default()
            },
        };
        let plans_joins = core::mem::take(&mut self.plans_joins);
        let source = self.select_for(&select, true);
        self.plans_joins = plans_joins;
        let source = source?;
        let column = |output: &Output| Column { name: output.name.clone(), ty: output.value.ty() };
        let columns = source.targets.iter().map(column).collect();
        Ok((source, columns, name))
    }

    fn merge_when(
        &mut self,
        table: &TableInfo,
        shown: &str,
        ranges: &Ranges,
        when: &MergeWhen,
    ) -> Result<PlannedWhen, StatementError> {
        let range = match when.kind {
            MergeMatch::Matched => &ranges.both,
            MergeMatch::ByTarget => &ranges.source,
            MergeMatch::BySource => &ranges.target,
        };
        let version = self.version();
        let hidden = |error: StatementError| {
            if when.kind == MergeMatch::ByTarget { unseen_target(error, table, shown, version) } else { error }
        };
        let filter = match &when.filter {
            None => Vec::new(),
            Some(filter) => {
                let condition = self.analyze(range, "MERGE WHEN", |analyzer| analyzer.condition(filter));
                let never = || Vec::from([Typed::constant(Value::Bool(false), SqlType::BOOL)]);
                parts(condition.map_err(hidden)?, self.catalog.input())?.unwrap_or_else(never)
            }
        };
        let action = match &when.action {
            MergeAction::Nothing => PlannedAction::Nothing,
            MergeAction::Delete => PlannedAction::Delete,
            MergeAction::Update(set) => PlannedAction::Update(self.assignments(range, table, set)?.into()),
            MergeAction::Insert { columns, overriding, values } => {
                let row = self.inserted(table, range, columns, *overriding, values.as_deref());
                PlannedAction::Insert(row.map_err(hidden)?.into())
            }
        };
        Ok(PlannedWhen { kind: when.kind, filter, action })
    }

    fn merge_returning(
        &mut self,
        table: &TableInfo,
        ranges: &Ranges,
        targets: &[Target],
    ) -> Result<Option<Arc<Returning>>, StatementError> {
        let mut range = ranges.both.clone();
        range.add(ACTION, Vec::from([Column { name: ACTION.to_string(), ty: SqlType::TEXT }]));
        range.entries[2].only_qualified = true;
        // the source's columns come first
        range.entries[0].order = 2;
        let reading = |target: &Target| {
            let Target::Expr { expr, alias } = target else { return target.clone() };
            let mut read = expr.clone();
            read_action(&mut read);
            let alias = alias.clone().unwrap_or_else(|| name_of(expr, None, self.major()));
            Target::Expr { expr: read, alias: Some(alias) }
        };
        let targets: Vec<Target> = targets.iter().map(reading).collect();
        self.returning_of(table, range, &targets, false)
    }
}

/// `is_simple_subquery`, of columns of one table.
fn is_simple(query: &Select) -> bool {
    let is_column = |target: &Target| match target {
        Target::Star(_) => true,
        Target::Expr { expr, .. } => matches!(expr.node, ExprNode::Column { .. }),
    };
    let rest = Select {
        targets: query.targets.clone(),
        from: query.from.clone(),
        filter: query.filter.clone(),
        ..Select::default()
    };
    *query == rest && matches!(query.from[..], [FromItem::Table { .. }]) && query.targets.iter().all(is_column)
}

/// `merge_action()` as a column.
fn read_action(expr: &mut Expr) {
    if let ExprNode::Function { name, args, .. } = &expr.node
        && name == "merge_action"
        && args.is_empty()
    {
        expr.node = ExprNode::Column { table: Some(ACTION.to_string()), name: ACTION.to_string() };
    }
    expr.children_mut().into_iter().for_each(read_action);
}

/// What stands behind a WHEN of its kind without condition is never asked.
fn check_reachable(whens: &[MergeWhen]) -> Result<(), StatementError> {
    for (n, when) in whens.iter().enumerate() {
        if whens[..n].iter().any(|before| before.kind == when.kind && before.filter.is_none()) {
            let message = "unreachable WHEN clause specified after unconditional WHEN clause";
            return Err(StatementError::server("42601", message));
        }
    }
    Ok(())
}

/// NOT MATCHED reads nothing of the table: there is no row of it (`errorMissingRTE`, `errorMissingColumn`).
fn unseen_target(error: StatementError, table: &TableInfo, shown: &str, version: PgVersion) -> StatementError {
    let told = |message: String, said: String| {
        let new = SqlError::new(error.error.sqlstate, message);
        let new = if version.details_unreferenced_tables() { new.with_detail(said) } else { new };
        StatementError { position: error.position, ..new.into() }
    };
    let message = &error.error.message;
    if *message == format!("missing FROM-clause entry for table \"{shown}\"") {
        let said = format!(
            "There is an entry for table \"{shown}\", but it cannot be referenced from this part of the query."
        );
        return told(format!("invalid reference to FROM-clause entry for table \"{shown}\""), said);
    }
    let mut names = table.columns.iter().map(|column| &column.attribute.name);
    match names.find(|name| *message == format!("column \"{name}\" does not exist")) {
        Some(name) => {
            let said = format!(
                "There is a column named \"{name}\" in table \"{shown}\", but it cannot be referenced from this part of the query."
            );
            told(message.to_string(), said)
        }
        None => error,
    }
}
