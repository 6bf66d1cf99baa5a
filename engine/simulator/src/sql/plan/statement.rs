//! From a statement to its plan: `transformStmt` (src/backend/parser/analyze.c), then the planner's choice of scan.

use super::fold::fold;
use super::from::Common;
use super::given::{check_generated, given_targets, is_overridden, of_generated, refuse_generated};
use super::pull_up::rows_of;
use super::query::Wanted;
use super::sub_query::Queries;
use super::updatable::Doing;
use super::{CommonPlan, DeletePlan, InsertPlan, InsertRows, Method, Plan, Scan, SetColumn, UpdatePlan, WithPlan};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::{
    Assignment, Delete, Expr, Insert, InsertSource, Overriding, RangeVar, Select, Statement, Target, Update,
};
use crate::sql::catalog::{Catalog, ColumnInfo, ColumnSource, TableInfo};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Analyzer, Column, Node, RangeTable, SYSTEM, SystemColumns, Typed, VariableRow};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::state::RelKind;

/// Names for values that are given when the plan is executed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// types of `$1`, `$2` …; [`Analyzer::UNDECIDED`] where the statement decides
    pub params: Vec<Oid>,
    /// names of the first of them: variables of PL/pgSQL
    pub variables: Vec<String>,
    /// rows among the variables
    pub rows: Vec<VariableRow>,
    /// transition tables
    pub tables: Vec<(String, Vec<Column>)>,
    /// does a column stand before a variable of its name, as in functions in SQL?
    pub columns_first: bool,
    /// their values, where the plan is to be for these only
    pub values: Vec<Value>,
    /// does the statement name any of them? Found out by planning it
    pub is_used: bool,
    /// is the plan told only, and not executed?
    pub explains: bool,
}

/// Plans INSERT, UPDATE, DELETE, MERGE or SELECT; `None` for another statement. Types of parameters that the statement
/// decides are put into `given`.
///
/// # Errors
/// What PostgreSQL's parser raises: names that are not there, types that do not fit; what is not supported.
pub fn plan(
    statement: &Statement,
    catalog: &mut dyn Catalog,
    given: &mut Given,
) -> Result<Option<Plan>, StatementError> {
    let mut planner = Planner { changes: Some(Vec::new()), ..Planner::new(catalog, given) };
    let planned = match statement {
        Statement::With(with) => {
            planner.with(&with.with, with.recursive, None)?;
            let inlined = planner.statement_inlined(with);
            planner.statement(&inlined.as_ref().unwrap_or(with).statement)?
        }
        statement => planner.statement(statement)?,
    };
    let changes = planner.changes.unwrap_or_default();
    Ok(match planned {
        Some(plan) if !changes.is_empty() => Some(Plan::With(Arc::new(WithPlan { plan, changes }))),
        planned => planned,
    })
}

/// Plans the query of CREATE TABLE AS.
///
/// # Errors
/// As [`plan`].
pub fn plan_query(select: &Select, catalog: &mut dyn Catalog) -> Result<super::SelectPlan, StatementError> {
    Planner::new(catalog, &mut Given::default()).select(select)
}

/// Plans the query of a function, whose arguments are given.
///
/// # Errors
/// As [`plan`].
pub fn plan_body(
    select: &Select,
    catalog: &mut dyn Catalog,
    given: &mut Given,
) -> Result<super::SelectPlan, StatementError> {
    Planner::new(catalog, given).select(select)
}

/// Plans the query of a cursor, of which a tenth of the rows is expected to be fetched (`cursor_tuple_fraction`).
///
/// # Errors
/// As [`plan`].
pub fn plan_cursor(
    select: &Select,
    catalog: &mut dyn Catalog,
    given: &mut Given,
) -> Result<super::SelectPlan, StatementError> {
    const CURSOR_TUPLE_FRACTION: f64 = 0.1;
    let mut planner = Planner { fraction: Some(CURSOR_TUPLE_FRACTION), ..Planner::new(catalog, given) };
    planner.top_select(select)
}

pub struct Planner<'a> {
    pub catalog: &'a mut dyn Catalog,
    pub given: &'a mut Given,
    /// what the queries around this one have in FROM, the outermost first
    pub(super) outer: Vec<RangeTable>,
    /// the queries of WITH that can be named
    pub(super) commons: Vec<Common>,
    /// columns of the queries around that were read: how far out, where, of which type
    pub(super) reads: Vec<(u16, u16, SqlType)>,
    /// `tuple_fraction`: which part of the rows is wanted; `None`: all
    pub(super) fraction: Option<f64>,
    /// those of WITH that change rows; `None` where none may
    pub(super) changes: Option<Vec<Arc<CommonPlan>>>,
    /// is it for a query within another?
    pub(super) is_nested: bool,
    /// are joins run as they are planned? Not those whose rows another statement joins, or changes
    pub(super) plans_joins: bool,
    /// is it the query of a statement that changes rows of its first table, as they come out of the join?
    pub(super) changes_rows: bool,
    /// why the join that is planned last cannot be run by loops over whole tables
    pub(super) refused_join: Option<StatementError>,
    /// queries of FROM that became part of the one that is planned
    pub(super) pulled: usize,
}

impl<'a> Planner<'a> {
    /// For a statement that stands alone.
    pub fn new(catalog: &'a mut dyn Catalog, given: &'a mut Given) -> Self {
        let common = |(name, columns): &(String, Vec<Column>)| Common {
            hidden: 0,
            name: name.clone(),
            columns: columns.clone(),
            is_table: true,
            plan: None,
        };
        let commons = given.tables.iter().map(common).collect();
        Self {
            catalog,
            given,
            outer: Vec::new(),
            commons,
            reads: Vec::new(),
            fraction: None,
            changes: None,
            is_nested: false,
            plans_joins: true,
            changes_rows: false,
            refused_join: None,
            pulled: 0,
        }
    }
}

impl Planner<'_> {
    /// INSERT, UPDATE, DELETE, MERGE or SELECT.
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<Option<Plan>, StatementError> {
        Ok(Some(match statement {
            Statement::Insert(insert) => Plan::Insert(self.insert(insert)?),
            Statement::Update(update) => self.update(update)?,
            Statement::Delete(delete) => self.delete(delete)?,
            Statement::Merge(merge) => Plan::Merge(Arc::new(self.merge(merge)?)),
            Statement::Select(select) => Plan::Select(Arc::new(self.top_select(select)?)),
            _ => return Ok(None),
        }))
    }

    pub fn major(&self) -> u32 {
        self.catalog.input().major
    }

    /// The server's version, for what it does otherwise than others.
    #[must_use]
    pub fn version(&self) -> PgVersion {
        self.catalog.input().version()
    }

    /// A table that is written to and has neither partitions nor children.
    pub fn table(&self, name: &RangeVar) -> Result<TableInfo, StatementError> {
        let table = self.written_table(name)?;
        if table.has_parts() {
            let kind = if table.is_partitioned { "partitioned table" } else { "table with children" };
            let message = format!("this statement is not supported of the {kind} {name}");
            return Err(StatementError::unsupported(message, None));
        }
        Ok(table)
    }

    /// A table that is written to, partitioned or not (`CheckValidResultRel`).
    fn written_table(&self, name: &RangeVar) -> Result<TableInfo, StatementError> {
        if self.catalog.kind(name) == Some(RelKind::Sequence) {
            return Err(StatementError::server("42809", format!("cannot change sequence \"{}\"", name.name)));
        }
        let table = self.any_table(name)?;
        if table.is_toast {
            let message = format!("cannot change TOAST relation \"{}\"", table.name);
            return Err(StatementError::server("42809", message));
        }
        Ok(table)
    }

    /// A table, partitioned or not.
    pub fn any_table(&self, name: &RangeVar) -> Result<TableInfo, StatementError> {
        if self.catalog.view(name).is_some() {
            let message = format!("the view {name} written or locked as a table is not supported; write to its table");
            return Err(StatementError::unsupported(message, None));
        }
        let sentence = match self.catalog.kind(name) {
            Some(RelKind::Sequence) => {
                let read = "read or written as a table is not simulated; nextval, currval and setval are";
                return Err(StatementError::unsupported(format!("the sequence {name} {read}"), None));
            }
            Some(RelKind::Index) if !self.version().details_kinds() => format!("\"{name}\" is an index"),
            Some(RelKind::Index) => {
                let error = SqlError::new("42809", format!("cannot open relation \"{name}\""));
                return Err(error.with_detail("This operation is not supported for indexes.").into());
            }
            _ => return self.catalog.table(name).ok_or_else(|| elsewhere::relation(name, "relation").into()),
        };
        Err(StatementError::server("42809", sentence))
    }

    /// Something analysed over these columns.
    pub fn analyze<T>(
        &mut self,
        range: &RangeTable,
        clause: &'static str,
        what: impl FnOnce(&mut Analyzer<'_>) -> Result<T, StatementError>,
    ) -> Result<T, StatementError> {
        let Self { catalog, given, outer, commons, reads, .. } = self;
        let (input, extensions, functions) = (catalog.input(), catalog.extensions(), catalog.sql_functions());
        let (enums, domains, row_types) = (catalog.enums(), catalog.domains(), catalog.row_types());
        let mut queries =
            Queries { catalog: &mut **catalog, given, outer: &*outer, commons: &*commons, range, is_used: false };
        let mut analyzer = Analyzer::new(range, input, clause);
        analyzer.params.clone_from(&given.params);
        (analyzer.variables, analyzer.values) = (&given.variables, &given.values);
        (analyzer.columns_first, analyzer.rows) = (given.columns_first, &given.rows);
        (analyzer.outer, analyzer.extensions) = (&*outer, extensions);
        (analyzer.functions, analyzer.enums, analyzer.domains) = (functions, enums, domains);
        analyzer.row_types = row_types;
        analyzer.planner = Some(&mut queries);
        let done = what(&mut analyzer);
        let Analyzer { uses_params, params, lookups, relations, reads: found, .. } = analyzer;
        let uses_params = uses_params || queries.is_used;
        given.params = params;
        given.is_used |= uses_params;
        reads.extend(found);
        catalog.look_up(lookups);
        let done = done?;
        relations.iter().try_for_each(|name| catalog.names_relation(name))?;
        Ok(done)
    }

    fn insert(&mut self, insert: &Insert) -> Result<InsertPlan, StatementError> {
        let view = self.updatable(&insert.table, insert.alias.as_deref(), Doing::Insert)?;
        let table = match &view {
            Some(view) => view.table.clone(),
            None => self.written_table(&insert.table)?,
        };
        let named = match &view {
            Some(view) if insert.columns.is_empty() => &view.columns,
            _ => &insert.columns,
        };
        if table.is_partitioned && insert.on_conflict.is_some() {
            return Err(StatementError::unsupported("ON CONFLICT of a partitioned table is not supported", None));
        }
        let targets = target_columns(&table, named)?;
        let source = match &insert.source {
            InsertSource::Defaults => {
                let row = self.complete(&table, &[], Vec::new())?;
                InsertRows::Values(Arc::new([row]))
            }
            InsertSource::Values(rows) => {
                if rows.iter().any(|row| row.len() != rows[0].len()) {
                    return Err(StatementError::server("42601", "VALUES lists must all be the same length"));
                }
                let given = rows.first().map_or(0, Vec::len);
                let extra = rows.first().and_then(|row| row.get(targets.len())?.as_ref());
                count_matches(given, &targets, !insert.columns.is_empty()).map_err(|error| match extra {
                    Some(extra) => error.at(extra.position),
                    None => error,
                })?;
                let nothing = RangeTable::default();
                let row = |row: &Vec<Option<Expr>>| self.row(&table, &nothing, &targets, insert.overriding, row);
                InsertRows::Values(rows.iter().map(row).collect::<Result<_, _>>()?)
            }
            InsertSource::Select(select) => {
                let goals =
                    Goals { targets: &targets, are_named: !insert.columns.is_empty(), overriding: insert.overriding };
                self.insert_select(&table, goals, select)?
            }
        };
        let on_conflict = insert
            .on_conflict
            .as_ref()
            .map(|conflict| self.on_conflict(&table, insert.alias.as_deref(), conflict))
            .transpose()?
            .map(Arc::new);
        let returned = view.as_ref().map_or_else(|| insert.returning.clone(), |view| view.targets(&insert.returning));
        let returning = self.returning(&table, insert.alias.as_deref(), &returned, true)?;
        check_generated(&table, &targets, insert, self.major())?;
        let checks = view.map(|view| view.checks).unwrap_or_default().into();
        Ok(InsertPlan { table: table.oid, name: table.name.clone(), source, on_conflict, returning, checks })
    }

    /// A row of VALUES, with all columns of the table.
    fn row(
        &mut self,
        table: &TableInfo,
        range: &RangeTable,
        targets: &[usize],
        overriding: Option<Overriding>,
        row: &[Option<Expr>],
    ) -> Result<Vec<Typed>, StatementError> {
        let mut values = Vec::with_capacity(row.len());
        for (value, target) in row.iter().zip(targets) {
            let column = &table.columns[*target];
            values.push(match value {
                Some(expr) => {
                    let name = &column.attribute.name;
                    let given =
                        self.analyze(range, "VALUES", |analyzer| analyzer.assigned(expr, name, column.assigned()))?;
                    (!is_overridden(column, overriding)).then_some(given)
                }
                None => None,
            });
        }
        self.complete(table, &targets[..row.len()], values)
    }

    /// The row that MERGE inserts, over what the range has; without values: that of DEFAULT VALUES.
    pub(super) fn inserted(
        &mut self,
        table: &TableInfo,
        range: &RangeTable,
        columns: &[String],
        overriding: Option<Overriding>,
        values: Option<&[Option<Expr>]>,
    ) -> Result<Vec<Typed>, StatementError> {
        let targets = target_columns(table, columns)?;
        let Some(values) = values else { return self.complete(table, &[], Vec::new()) };
        count_matches(values.len(), &targets, !columns.is_empty())?;
        let row = self.row(table, range, &targets, overriding, values)?;
        let given: Vec<usize> = given_targets(values, &targets).collect();
        refuse_generated(table, &given, overriding, self.major())?;
        Ok(row)
    }

    /// The values given, and defaults for all other columns.
    fn complete(
        &mut self,
        table: &TableInfo,
        targets: &[usize],
        values: Vec<Option<Typed>>,
    ) -> Result<Vec<Typed>, StatementError> {
        let mut given: Vec<Option<Typed>> = alloc::vec![None; table.columns.len()];
        for (target, value) in targets.iter().zip(values) {
            given[*target] = value;
        }
        let input = self.catalog.input();
        let mut row = Vec::with_capacity(given.len());
        for (value, column) in given.into_iter().zip(&table.columns) {
            let value = match value {
                Some(value) => value,
                None => self.default(column)?,
            };
            row.push(fold(value, input)?);
        }
        Ok(row)
    }

    /// The value of a column that nobody gives one.
    pub(super) fn default(&mut self, column: &ColumnInfo) -> Result<Typed, StatementError> {
        match &column.default {
            Some(default) if !column.attribute.dropped => {
                let range = RangeTable::default();
                let name = &column.attribute.name;
                self.analyze(&range, "DEFAULT", |analyzer| analyzer.assigned(default, name, column.assigned()))
            }
            _ => {
                if !column.attribute.dropped {
                    self.catalog.look_up(alloc::vec![Lookup::Type(column.ty().oid)]);
                }
                let (null, range) = (Typed::constant(Value::Null, column.ty()), RangeTable::default());
                match column.domain.filter(|_| !column.attribute.dropped) {
                    Some(_) => self.analyze(&range, "DEFAULT", |analyzer| analyzer.assign(null, "", column.assigned())),
                    None => Ok(null),
                }
            }
        }
    }

    fn insert_select(
        &mut self,
        table: &TableInfo,
        Goals { targets, are_named, overriding }: Goals<'_>,
        select: &Select,
    ) -> Result<InsertRows, StatementError> {
        let query = self.select_for(select, true)?;
        count_matches(query.targets.len(), targets, are_named)?;
        let range = RangeTable::default();
        let mut values = Vec::new();
        for (number, (output, target)) in query.targets.iter().zip(targets).enumerate() {
            let column = &table.columns[*target];
            let ty = output.value.ty();
            // a literal of no type is taken for what the column is
            let value = match output.value.literal() {
                Some(literal) => literal.clone(),
                None => Typed { node: Node::Slot(number as u16), ty },
            };
            let name = &column.attribute.name;
            let given = self.analyze(&range, "INSERT", |analyzer| analyzer.assign(value, name, column.assigned()));
            let given = given.map_err(|error| match select.targets.get(number) {
                Some(Target::Expr { expr, .. }) if select.set.is_none() => error.at(expr.position),
                _ => error,
            })?;
            values.push((!is_overridden(column, overriding)).then_some(given));
        }
        let given = &targets[..query.targets.len()];
        let row = self.complete(table, given, values)?;
        refuse_generated(table, given, overriding, self.major())?;
        Ok(rows_of(query, row))
    }

    pub(super) fn assignments(
        &mut self,
        range: &RangeTable,
        table: &TableInfo,
        set: &[Assignment],
    ) -> Result<Vec<SetColumn>, StatementError> {
        let mut done: Vec<SetColumn> = Vec::new();
        for Assignment { column: name, value } in set {
            let number = usize::from(self.set_column(table, name, value.is_some())?);
            if done.iter().any(|known| usize::from(known.column) == number) {
                let message = format!("multiple assignments to same column \"{name}\"");
                return Err(StatementError::server("42601", message));
            }
            let column = &table.columns[number];
            let value = match value {
                Some(expr) => {
                    self.analyze(range, "UPDATE", |analyzer| analyzer.assigned(expr, name, column.assigned()))?
                }
                // it is computed, or stays as it is
                None if column.source == ColumnSource::Generated => continue,
                None => self.default(column)?,
            };
            done.push(SetColumn { column: number as u16, value: fold(value, self.catalog.input())? });
        }
        Ok(done)
    }

    /// The number of a column that is set, from 0; `given`: to a value, not to its DEFAULT.
    pub(super) fn set_column(&self, table: &TableInfo, name: &str, given: bool) -> Result<u16, StatementError> {
        let Some(number) = column_of(table, name) else {
            if SYSTEM.iter().any(|(known, _)| *known == name) {
                let message = format!("cannot assign to system column \"{name}\"");
                return Err(StatementError::server("0A000", message));
            }
            return Err(no_column(table, name));
        };
        let column = &table.columns[number];
        if given && matches!(column.source, ColumnSource::IdentityAlways | ColumnSource::Generated) {
            let message = format!("column \"{name}\" can only be updated to DEFAULT");
            return Err(of_generated(message, column, self.major()));
        }
        Ok(number as u16)
    }

    fn update(&mut self, update: &Update) -> Result<Plan, StatementError> {
        if !update.from.is_empty() {
            return self.update_from(update);
        }
        let view = self.updatable(&update.table, update.alias.as_deref(), Doing::Update)?;
        let table = match &view {
            Some(view) => view.table.clone(),
            None => self.written_table(&update.table)?,
        };
        if let Some(plan) = self.joined_update(update).filter(|_| view.is_none()) {
            return Ok(plan);
        }
        let mut range = range_of(&table, update.alias.as_deref());
        range.qualify(0, &update.table, update.alias.as_deref());
        let set = match self.assignments(&range, &table, &update.set) {
            // `transformUpdateStmt` reads WHERE and RETURNING first
            Err(error) if error.error.sqlstate != NOT_SIMULATED => {
                self.filter(&range, update.filter.as_ref(), Some(&table))?;
                self.returning(&table, update.alias.as_deref(), &update.returning, true)?;
                return Err(error);
            }
            set => set?,
        };
        let system = set.iter().any(|set| reads_system(&table, &set.value));
        let returned = view.as_ref().map_or_else(|| update.returning.clone(), |view| view.targets(&update.returning));
        let returning = self.returning(&table, update.alias.as_deref(), &returned, true)?;
        let (more, checks) = view.map(|view| (view.filter, view.checks)).unwrap_or_default();
        let scan = match &update.current_of {
            Some(cursor) => current_of(&table, cursor, system)?,
            None => self.scan(&table, &range, (update.filter.as_ref(), more), system)?,
        };
        // or the scan gives the columns that stay as they are too
        let values: Vec<Typed> = set.iter().map(|set| set.value.clone()).collect();
        let kept = if self.version().fetches_old_row() { 0 } else { table.columns.len() as u16 };
        let kept: Vec<u16> = (0..kept).filter(|slot| set.iter().all(|set| set.column != *slot)).collect();
        self.look_up_statistics(&table, &values, &kept);
        Ok(Plan::Update(UpdatePlan {
            scan: scan.into(),
            set: set.into(),
            joined: None,
            returning,
            checks: checks.into(),
        }))
    }

    fn delete(&mut self, delete: &Delete) -> Result<Plan, StatementError> {
        if !delete.using.is_empty() {
            return self.delete_using(delete);
        }
        let view = self.updatable(&delete.table, delete.alias.as_deref(), Doing::Delete)?;
        let table = match &view {
            Some(view) => view.table.clone(),
            None => self.written_table(&delete.table)?,
        };
        if let Some(plan) = self.joined_delete(delete).filter(|_| view.is_none()) {
            return Ok(plan);
        }
        let mut range = range_of(&table, delete.alias.as_deref());
        range.qualify(0, &delete.table, delete.alias.as_deref());
        let returned = view.as_ref().map_or_else(|| delete.returning.clone(), |view| view.targets(&delete.returning));
        let returning = self.returning(&table, delete.alias.as_deref(), &returned, false)?;
        let more = view.map(|view| view.filter).unwrap_or_default();
        let scan = match &delete.current_of {
            Some(cursor) => current_of(&table, cursor, false)?.into(),
            None => self.scan(&table, &range, (delete.filter.as_ref(), more), false)?.into(),
        };
        Ok(Plan::Delete(DeletePlan { scan, joined: None, returning }))
    }

    /// The rows that UPDATE or DELETE find; `system`: with their system columns.
    fn scan(
        &mut self,
        table: &TableInfo,
        range: &RangeTable,
        (filter, more): (Option<&Expr>, Vec<Typed>),
        system: bool,
    ) -> Result<Scan, StatementError> {
        let Some(clauses) = self.filter_with(range, filter, Some(table), more)? else {
            return Ok(Wanted::nothing(table));
        };
        if table.has_parts() {
            return self.append(table, clauses, None, true).map(Scan::keeping_rows);
        }
        let clauses = super::distribute::semi_joins(table, self.major(), clauses)?;
        self.catalog.look_up(alloc::vec![Lookup::Type(SqlType::TID.oid)]);
        self.look_up_relation(table, true);
        self.look_up_statistics(table, &clauses, &[]);
        self.cheapest_scan(table, clauses, None, system)
    }
}

/// WHERE CURRENT OF: the row that a cursor stands on.
fn current_of(table: &TableInfo, cursor: &str, system: bool) -> Result<Scan, StatementError> {
    if table.has_parts() {
        let message = "WHERE CURRENT OF a row of a table with partitions or children is not supported";
        return Err(StatementError::unsupported(message, None));
    }
    Ok(Scan { method: Method::CurrentOf(cursor.into()), rows: 1.0, system, ..Wanted::nothing(table) })
}

/// The table as the only entry.
pub fn range_of(table: &TableInfo, alias: Option<&str>) -> RangeTable {
    let mut range = RangeTable::default();
    let attributes: Vec<_> = table.columns.iter().map(|column| column.attribute.clone()).collect();
    range.add_table(alias.unwrap_or(&table.name), &attributes);
    range.entries[0].system = SystemColumns::Read;
    range.entries[0].relation = Some(table.oid);
    range.entries[0].row_type = table.row_type;
    range.entries[0].generated = generated_of(table);
    range.entries[0].domains = domains_of(table);
    range
}

/// The columns, from 0, that are computed where they are read.
pub fn generated_of(table: &TableInfo) -> Vec<(u16, Arc<Typed>)> {
    let columns = (0..).zip(&table.columns);
    columns.filter_map(|(n, column)| Some((n, column.generation.clone()?))).collect()
}

/// The columns, from 0, of domains.
pub fn domains_of(table: &TableInfo) -> Vec<(u16, Oid)> {
    (0..).zip(&table.columns).filter_map(|(n, column)| Some((n, column.domain?))).collect()
}

/// Does it read a system column of the table?
fn reads_system(table: &TableInfo, expr: &Typed) -> bool {
    expr.any(&|node| matches!(node, Node::Slot(slot) if usize::from(*slot) >= table.columns.len()))
}

pub(super) fn column_of(table: &TableInfo, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| !column.attribute.dropped && column.attribute.name == name)
}

fn no_column(table: &TableInfo, name: &str) -> StatementError {
    let message = format!("column \"{name}\" of relation \"{}\" does not exist", table.name);
    StatementError::server("42703", message)
}

/// The columns that an INSERT gives, from 0.
fn target_columns(table: &TableInfo, names: &[String]) -> Result<Vec<usize>, StatementError> {
    if names.is_empty() {
        let all = table.columns.iter().enumerate();
        return Ok(all.filter(|(_, column)| !column.attribute.dropped).map(|(number, _)| number).collect());
    }
    let mut targets = Vec::new();
    for name in names {
        let Some(number) = column_of(table, name) else { return Err(no_column(table, name)) };
        if targets.contains(&number) {
            let message = format!("column \"{name}\" specified more than once");
            return Err(StatementError::server("42701", message));
        }
        targets.push(number);
    }
    Ok(targets)
}

/// What an INSERT puts rows into.
#[derive(Clone, Copy)]
struct Goals<'a> {
    /// the columns, by their places in the table
    targets: &'a [usize],
    /// were they named?
    are_named: bool,
    /// `OVERRIDING …`
    overriding: Option<Overriding>,
}

/// `transformInsertRow`: columns that nobody named may be left out at the end.
fn count_matches(given: usize, targets: &[usize], are_named: bool) -> Result<(), StatementError> {
    let (more, than) = match given {
        _ if given > targets.len() => ("expressions", "target columns"),
        _ if given < targets.len() && are_named => ("target columns", "expressions"),
        _ => return Ok(()),
    };
    Err(StatementError::server("42601", format!("INSERT has more {more} than {than}")))
}

pub(super) fn no_column_plain(name: &str) -> StatementError {
    StatementError::server("42703", format!("column \"{name}\" does not exist"))
}
