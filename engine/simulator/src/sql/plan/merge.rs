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
//! How they are joined is planned as that of a SELECT is (`joinrel`).

use super::fold::parts;
use super::joined::{column, column_at, of_one_row};
use super::statement::{Planner, range_of};
use super::targets::name_of;
use super::{Method, Returning, SelectPlan, SetColumn};
use crate::sql::StatementError;
use crate::sql::ast::{
    Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, Merge, MergeAction, MergeMatch, MergeWhen, Select, Target,
};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Column, Node, RangeEntry, RangeTable, SYSTEM, Typed};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
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
    /// and how many there are with those
    pub whole: usize,
    /// place, and columns of the source that are read; the table's are in its row
    pub query: Arc<SelectPlan>,
    /// the first slot of the table in that row
    pub start: u16,
    /// the slots of those columns, behind the table's
    pub read: Vec<u16>,
    /// the source's row alone, which comes where no row of the table is found: of a source of one row that is part of
    /// the query, so that no outer join is left
    pub alone: Option<Arc<SelectPlan>>,
    /// what is done, by the kind of row, the first whose condition holds
    pub whens: Arc<[PlannedWhen]>,
    /// RETURNING, over the row as it is then, the source's row, and the action's name
    pub returning: Option<Arc<Returning>>,
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
        let outside = core::mem::replace(&mut self.changes_rows, true);
        let planned = self.planned_merge(merge);
        self.changes_rows = outside;
        planned
    }

    fn planned_merge(&mut self, merge: &Merge) -> Result<MergePlan, StatementError> {
        check_reachable(&merge.whens)?;
        let table = self.table(&merge.table)?;
        let shown = merge.alias.as_deref().unwrap_or(&table.name);
        let source = of_one_row(&merge.source);
        if matches!(source, FromItem::Join(_)) {
            let message = "MERGE USING of joined tables is not supported; put the join into a query";
            return Err(StatementError::unsupported(message, None));
        }
        let found = self.from(core::slice::from_ref(&source))?.range.entries;
        let [entry] = <[_; 1]>::try_from(found).map_err(|_| StatementError::server("XX000", "an item"))?;
        if entry.name == shown {
            let error = SqlError::new("42712", format!("name \"{}\" specified more than once", entry.name));
            let detail = "The name is used both as MERGE target table and data source.";
            return Err(error.with_detail(detail.to_string()).into());
        }
        let target = range_of(&table, merge.alias.as_deref());
        let width = table.columns.len() + SYSTEM.len();
        let mut both = target.clone();
        both.entries.push(RangeEntry { first: width as u16, order: 1, ..entry });
        let source_only = RangeTable { entries: both.entries[1..].to_vec(), ..RangeTable::default() };
        let ranges = Ranges { both, source: source_only, target };
        let on = self.analyze(&ranges.both, "JOIN/ON", |analyzer| analyzer.condition(&merge.on))?;
        let whens = merge.whens.iter().map(|when| self.merge_when(&table, shown, &ranges, when));
        let whens = whens.collect::<Result<Arc<[_]>, _>>()?;
        let returning = self.merge_returning(&table, &ranges, &merge.returning)?;
        let whole = usize::from(ranges.both.width());
        let mut read = Vec::new();
        whens.iter().for_each(|when| when.slots(&mut read));
        // the condition is asked again of rows that are not matched by the source
        let is_asked = whens.iter().any(|it| it.kind == MergeMatch::BySource && it.action != PlannedAction::Nothing);
        if is_asked {
            on.slots(&mut read);
        }
        returning.iter().flat_map(|it| &it.targets).for_each(|target| target.slots(&mut read));
        read.retain(|slot| (width..whole).contains(&usize::from(*slot)));
        read.sort_unstable();
        read.dedup();
        let columns: Vec<Target> = read.iter().filter_map(|slot| column_at(&ranges.both, *slot)).collect();
        let (query, alone) = self.merge_query(merge, shown, source, &columns)?;
        let place = query.targets.first().and_then(|target| target.value.expr()).map(|expr| &expr.node);
        let start = if let Some(Node::Slot(slot)) = place { slot - table.columns.len() as u16 } else { 0 };
        let (name, query) = (table.name, query.into());
        Ok(MergePlan { table: table.oid, name, width, whole, query, start, read, alone, whens, returning })
    }

    /// The rows of both, joined as the actions ask for (`transform_MERGE_to_join`), and the source's row alone.
    fn merge_query(
        &mut self,
        merge: &Merge,
        shown: &str,
        source: FromItem,
        columns: &[Target],
    ) -> Result<(SelectPlan, Option<Arc<SelectPlan>>), StatementError> {
        // with DO NOTHING no row has to stay
        let does = |when: &MergeWhen| !matches!(when.action, MergeAction::Nothing);
        let keeps = |kind| merge.whens.iter().any(|when| when.kind == kind && does(when));
        let (keeps_source, keeps_target) = (keeps(MergeMatch::ByTarget), keeps(MergeMatch::BySource));
        let (name, alias) = (merge.table.clone(), merge.alias.clone());
        let target = FromItem::Table { name, alias, columns: Vec::new(), sample: None };
        let query_of = |kind: JoinKind| {
            let (left, right) = match kind {
                JoinKind::Left if !keeps_target => (source.clone(), target.clone()),
                _ => (target.clone(), source.clone()),
            };
            let join = Join { kind, left, right, condition: JoinCondition::On(merge.on.clone()) };
            let targets = core::iter::once(column("ctid", shown)).chain(columns.iter().cloned()).collect();
            Select { targets, from: Vec::from([FromItem::Join(Box::new(join))]), ..Select::default() }
        };
        // a source of one row is no side of a join
        if keeps_source && !keeps_target {
            let query = self.select_for(&query_of(JoinKind::Inner), true);
            if let Some(query) = query.ok().filter(|query| query.join.is_none() && query.sources.is_empty()) {
                let targets = columns.to_vec();
                let alone =
                    self.select_for(&Select { targets, from: Vec::from([source]), ..Select::default() }, true)?;
                return Ok((query, Some(alone.into())));
            }
        }
        let kind = match (keeps_source, keeps_target) {
            (true, true) => JoinKind::Full,
            (false, false) => JoinKind::Inner,
            _ => JoinKind::Left,
        };
        let query = self.select_for(&query_of(kind), true)?;
        let is_nothing = query.scan.as_ref().is_some_and(|scan| scan.method == Method::Nothing);
        if query.join.is_none() && !query.sources.is_empty() && !(is_nothing && kind == JoinKind::Inner) {
            let message =
                "MERGE of a source whose join is not known for certain is not supported; write UPDATE and INSERT";
            return Err(StatementError::unsupported(message, None));
        }
        Ok((query, None))
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

impl PlannedWhen {
    /// The slots that it reads.
    fn slots(&self, slots: &mut Vec<u16>) {
        self.filter.iter().for_each(|part| part.slots(slots));
        match &self.action {
            PlannedAction::Nothing | PlannedAction::Delete => {}
            PlannedAction::Update(set) => set.iter().for_each(|set| set.value.slots(slots)),
            PlannedAction::Insert(row) => row.iter().for_each(|value| value.slots(slots)),
        }
    }
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
