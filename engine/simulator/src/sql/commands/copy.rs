//! COPY … FROM STDIN (`CopyFrom`, src/backend/commands/copyfrom.c): rows go to the heap in batches, then their
//! entries to the indexes.
//!
//! ```text
//!  lines ─▶ up to 1000 rows or 65535 bytes ─▶ heap_multi_insert ─▶ entries row by row ─▶ next batch
//! ```

use super::constraint::RowChecks;
use super::copy_format::{Field, fields, lines};
use super::foreign_key::{Before, Event, fire, of_new_row};
use crate::access::heap::{BulkInsertState, InsertOptions, heap_multi_insert};
use crate::cluster::pg_class::ColumnDefault;
use crate::sql::StatementError;
use crate::sql::ast::{Copy, CopyFormat, Insert, InsertSource, Statement};
use crate::sql::catalog::plancat::range_of;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::fast::ahead::{ROWS, is_any_scattered, look_ahead};
use crate::sql::executor::generated::Generated;
use crate::sql::executor::index::{EntriesOf, OpenIndex, insert_entries, open_indexes, rechecks};
use crate::sql::executor::partition::{AtTable, Routing};
use crate::sql::executor::row::{eval, holds};
use crate::sql::executor::trigger::Triggers;
use crate::sql::expr::{Context, Typed, enum_in, without_null_check};
use crate::sql::plan::{Given, InsertRows, Plan, plan};
use crate::sql::tcop::Database;
use crate::storage::{CommandId, Outcome, RelationData};
use crate::version::SqlBehaviour;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::input::input;
use ffviz_format::datum::{FormedTuple, SqlError, SqlType, Value, is_composite, type_oid};
use ffviz_format::page::{ItemPointer, Oid, PgVersion};

/// `MAX_BUFFERED_TUPLES`, `MAX_BUFFERED_BYTES`: a batch
const MAX_TUPLES: usize = 1000;
const MAX_BYTES: usize = 65_535;

/// A COPY that runs.
#[derive(Debug)]
pub(in crate::sql) struct CopyFrom {
    relation: Arc<RelationData>,
    row_checks: RowChecks,
    generated: Generated,
    indexes: Vec<OpenIndex>,
    /// the table's columns, from 0, that the lines have
    columns: Vec<usize>,
    /// what all columns have that the lines have not
    defaults: Vec<Typed>,
    lines: VecDeque<String>,
    format: CopyFormat,
    /// are lines left out that types cannot read?
    ignores_errors: bool,
    reject_limit: Option<u64>,
    skipped: u64,
    /// the text that stands for a column's default
    default: Option<String>,
    /// rows that it leaves out are no part of the table
    filter: Vec<Typed>,
    cid: CommandId,
    options: InsertOptions,
    /// by table, in the order in which they had their first rows
    bistates: Vec<(Oid, BulkInsertState)>,
    /// of a partitioned table: its partitions, of which one is the table at work
    routing: Option<Routing>,
    /// rows of a batch that are not in the heap yet, by the table that they go to
    batches: VecDeque<(Oid, Vec<Vec<Value>>)>,
    /// rows in the heap that have not all their entries, and how many the first of them has
    stored: VecDeque<(Vec<Value>, ItemPointer)>,
    next_index: usize,
    /// foreign keys, which are checked when all lines are done
    checks: VecDeque<Event>,
    done: u64,
}

impl CopyFrom {
    pub fn start(db: &mut Database, copy: &Copy, data: &str) -> Result<Self, StatementError> {
        check_options(copy, db.cluster.version())?;
        let insert = Insert {
            table: copy.table.clone(),
            alias: None,
            columns: Vec::new(),
            overriding: None,
            source: InsertSource::Defaults,
            on_conflict: None,
            returning: Vec::new(),
        };
        let planned = plan(&Statement::Insert(insert), db, &mut Given::default())?;
        let Some(Plan::Insert(planned)) = planned else { return Err(SqlError::new("XX000", "no plan").into()) };
        let InsertRows::Values(rows) = planned.source else { return Err(SqlError::new("XX000", "no row").into()) };
        let relation = db.cluster.pg.relation(planned.table)?;
        let routing = Routing::of(db, &relation);
        if !Triggers::of(db, &relation).is_empty() {
            return Err(SqlError::new(NOT_SIMULATED, "COPY into a table with triggers is not supported").into());
        }
        if routing.is_some() && copy.freeze {
            return Err(StatementError::server("0A000", "cannot perform COPY FREEZE on a partitioned table"));
        }
        let columns = columns(db, &relation, &copy.columns)?;
        let filter = match &copy.filter {
            Some(filter) => {
                let range = range_of(&relation);
                let mut analyzer = db.analyzer(&range);
                analyzer.clause = "COPY FROM WHERE conditions";
                Vec::from([analyzer.boolean(filter, "WHERE")?])
            }
            None => Vec::new(),
        };
        let mut lines = lines(&copy.format, data);
        if copy.matches_header {
            let names = columns.iter().map(|n| relation.desc.attributes()[*n].name.as_str());
            check_header(&fields(&copy.format, None, &lines.pop_front().unwrap_or_default())?, names)?;
        }
        let is_new = relation.created_by.is_some() && routing.is_none();
        if copy.freeze && !db.cluster.is_made_here(&relation) {
            let message = "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction";
            return Err(StatementError::server("55000", message));
        }
        let options = InsertOptions { skip_fsm: is_new, frozen: copy.freeze, ..InsertOptions::NONE };
        let indexes = open_indexes(db, &relation).map_err(|_| SqlError::new("XX000", "an index is missing"))?;
        Ok(Self {
            row_checks: RowChecks::of(db, &relation),
            generated: Generated::of(db, &relation),
            indexes,
            columns,
            // a column that nobody gives a value is not asked whether its domain may be NULL
            defaults: rows.first().cloned().unwrap_or_default().into_iter().map(without_null_check).collect(),
            lines,
            format: copy.format.clone(),
            ignores_errors: copy.ignores_errors,
            reject_limit: copy.reject_limit,
            skipped: 0,
            default: copy.default.clone(),
            filter,
            cid: db.cluster.pg.current_command_id(),
            options,
            bistates: Vec::new(),
            routing,
            batches: VecDeque::new(),
            stored: VecDeque::new(),
            next_index: 0,
            checks: VecDeque::new(),
            done: 0,
            relation,
        })
    }

    /// Goes on until all lines are done. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        // while it waited, others may have changed the indexes
        self.indexes.iter_mut().for_each(OpenIndex::forget_place);
        loop {
            db.cluster.pg.interrupt.check()?;
            self.insert_stored(db)?;
            if let Some((table, rows)) = self.batches.pop_front() {
                self.store(db, table, rows)?;
                continue;
            }
            if self.lines.is_empty() {
                self.bistates.iter_mut().for_each(|(_, bistate)| bistate.release(&mut db.cluster.pg));
                fire(db, &mut self.checks)?;
                if self.skipped > 0 {
                    let (rows, were) = if self.skipped == 1 { ("row", "was") } else { ("rows", "were") };
                    let skipped = self.skipped;
                    db.notes.push(format!("{skipped} {rows} {were} skipped due to data type incompatibility"));
                }
                return Ok(format!("COPY {}", self.done));
            }
            self.read_batch(db)?;
        }
    }

    /// The rows that are in the heap get their entries.
    fn insert_stored(&mut self, db: &mut Database) -> Outcome<()> {
        while let Some((values, tid)) = self.stored.front() {
            if self.done.is_multiple_of(ROWS as u64) && is_any_scattered(db, &self.indexes) {
                let rows = self.stored.iter().take(2 * ROWS).map(|(values, _)| values.as_slice());
                look_ahead(db, &mut self.indexes, rows);
            }
            insert_entries(db, &mut self.indexes, values, *tid, &mut self.next_index, &EntriesOf::Insert)?;
            let (of_primary, of_others) = rechecks(db, self.relation.oid, &mut self.indexes, None);
            let mut events = of_new_row(db, &self.relation, values, Before::Nothing)?;
            events.iter_mut().for_each(|event| event.is_of(*tid));
            self.checks.extend(of_primary.into_iter().chain(events).chain(of_others));
            self.stored.pop_front();
            self.next_index = 0;
            self.done += 1;
        }
        Ok(())
    }

    /// Reads a batch; a line that is wrong fails before any row of its batch is stored. Tables get their rows in the
    /// order in which they had their first ones (`CopyMultiInsertInfoFlush`).
    fn read_batch(&mut self, db: &mut Database) -> Outcome<()> {
        let (mut rows, mut bytes) = (0, 0);
        self.batches.extend(self.bistates.iter().map(|(table, _)| (*table, Vec::new())));
        while rows < MAX_TUPLES && bytes < MAX_BYTES {
            let Some(line) = self.lines.pop_front() else { break };
            let Some(row) = self.row(db, &line)? else { continue };
            bytes += line.len();
            rows += 1;
            let table = self.relation.oid;
            match self.batches.iter_mut().find(|(known, _)| *known == table) {
                Some((_, rows)) => rows.push(row),
                None => self.batches.push_back((table, Vec::from([row]))),
            }
        }
        Ok(())
    }

    /// Rows of a batch go to their table.
    fn store(&mut self, db: &mut Database, table: Oid, rows: Vec<Vec<Value>>) -> Outcome<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.work_on(db, table)?;
        let tuples = rows.iter().map(|row| FormedTuple::new(&self.relation.desc, row)).collect();
        if !self.bistates.iter().any(|(known, _)| *known == table) {
            self.bistates.push((table, BulkInsertState::new()));
        }
        let bistate = self.bistates.iter_mut().find(|(known, _)| *known == table).map(|(_, bistate)| bistate);
        let tids = heap_multi_insert(&mut db.cluster.pg, &self.relation, tuples, self.cid, self.options, bistate)?;
        self.stored = rows.into_iter().zip(tids).collect();
        Ok(())
    }

    fn work_on(&mut self, db: &Database, to: Oid) -> Outcome<()> {
        let Self { routing, relation, row_checks, generated, indexes, .. } = self;
        let Some(routing) = routing else { return Ok(()) };
        routing.switch(db, to, AtTable { relation, row_checks, generated, indexes })
    }

    /// `NextCopyFrom`: what the line has, then defaults of what it has not; nothing of a line that is left out.
    fn row(&mut self, db: &mut Database, line: &str) -> Outcome<Option<Vec<Value>>> {
        let fields = fields(&self.format, self.default.as_deref(), line)?;
        if fields.len() > self.columns.len() {
            return Err(SqlError::new("22P04", "extra data after last expected column").into());
        }
        let attributes = self.relation.desc.attributes();
        let mut values: Vec<Option<Value>> = alloc::vec![None; attributes.len()];
        for (at, n) in self.columns.iter().enumerate() {
            let column = &attributes[*n];
            let missing = || SqlError::new("22P04", format!("missing data for column \"{}\"", column.name));
            let field = match fields.get(at).ok_or_else(missing)? {
                Field::Default => {
                    check_has_default(db, &self.relation, *n)?;
                    continue;
                }
                Field::Null => None,
                Field::Text(text) => Some(&text[..]),
            };
            let ty = column.ty();
            let domain = db.cluster.catalog.domain_of(self.relation.oid, column.num);
            let read = read(db, field, ty);
            let read = match domain {
                Some(domain) => read.and_then(|value| db.coerce_to_domain(&value, domain)),
                None => read,
            };
            match read {
                Ok(value) => values[*n] = Some(value),
                Err(_) if self.ignores_errors => {
                    self.skipped += 1;
                    if let Some(most) = self.reject_limit.filter(|most| self.skipped > *most) {
                        let message =
                            format!("skipped more than REJECT_LIMIT ({most}) rows due to data type incompatibility");
                        return Err(SqlError::new("22P02", message).into());
                    }
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let defaults = values.into_iter().zip(&self.defaults);
        let all = defaults.map(|(value, default)| value.map_or_else(|| eval(db, default, &[], &[]), Ok));
        let mut values = all.collect::<Outcome<Vec<_>>>()?;
        if !holds(db, &self.filter, &values)? {
            return Ok(None);
        }
        if let Some(routing) = &mut self.routing {
            let to = routing.find(db, &values)?;
            self.work_on(db, to)?;
        }
        self.generated.compute(db, &mut values, None)?;
        self.row_checks.check(db, &self.relation, &values)?;
        Ok(Some(values))
    }
}

/// A line may ask for the default of a column that has one.
fn check_has_default(db: &Database, relation: &RelationData, n: usize) -> Result<(), SqlError> {
    let class = db.cluster.catalog.class(relation.oid);
    if class.and_then(|class| class.defaults.get(n)).is_some_and(|default| *default != ColumnDefault::Null) {
        return Ok(());
    }
    let column = &relation.desc.attributes()[n].name;
    let error = SqlError::new("22P04", "unexpected default marker in COPY data");
    Err(error.with_detail(format!("Column \"{column}\" has no default value.")))
}

/// A field as a value of that type.
fn read(db: &mut Database, field: Option<&str>, ty: SqlType) -> Result<Value, SqlError> {
    match (field, db.cluster.catalog.enum_type(ty.oid)) {
        (None, _) => Ok(Value::Null),
        (Some(field), Some(labels)) => enum_in(field.as_bytes(), labels),
        (Some(field), None) if is_composite(ty.oid) => {
            let args = [Value::text(field), Value::Oid(type_oid(ty.oid))];
            db.record_in(&args)
        }
        (Some(field), None) => input(field, ty, &Context::input(db)),
    }
}

/// `NextCopyFromRawFields`: the first line has these names.
fn check_header<'a>(line: &[Field], names: impl ExactSizeIterator<Item = &'a str>) -> Result<(), SqlError> {
    let (got, expected) = (line.len(), names.len());
    if got != expected {
        let message = format!("wrong number of fields in header line: got {got}, expected {expected}");
        return Err(SqlError::new("22P04", message));
    }
    for (n, (field, name)) in (1..).zip(line.iter().zip(names)) {
        let got = match field {
            Field::Text(field) if field == name => continue,
            Field::Text(field) => format!("\"{field}\""),
            Field::Null | Field::Default => "null value".into(),
        };
        let message = format!("column name mismatch in header line field {n}: got {got}, expected \"{name}\"");
        return Err(SqlError::new("22P04", message));
    }
    Ok(())
}

/// `ProcessCopyOptions`: those that the version has.
fn check_options(copy: &Copy, version: PgVersion) -> Result<(), StatementError> {
    if let Some((name, _)) = copy.newer.iter().find(|(_, since)| version.major() < *since) {
        let message = match name.as_str() {
            "header" => "header requires a Boolean value".into(),
            name => format!("option \"{name}\" not recognized"),
        };
        return Err(StatementError::server("42601", message));
    }
    if copy.reject_limit.is_some() && !copy.ignores_errors {
        return Err(StatementError::server("22023", "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"));
    }
    if matches!(copy.format, CopyFormat::Text { header: true, .. }) && !version.has_text_headers() {
        return Err(StatementError::server("0A000", "COPY HEADER available only in CSV mode"));
    }
    Ok(())
}

/// What is no text that an input function of a type alone reads, or an output function prints.
fn check_types(relation: &RelationData) -> Result<(), StatementError> {
    const REGCLASS: u32 = 2205;
    if relation.desc.attributes().iter().any(|column| !column.dropped && column.typid == REGCLASS) {
        return Err(StatementError::unsupported(
            "COPY of a table with a column of type regclass is not supported",
            None,
        ));
    }
    Ok(())
}

/// The columns named; all that are there where none is.
fn columns(db: &Database, relation: &RelationData, names: &[String]) -> Result<Vec<usize>, StatementError> {
    check_types(relation)?;
    let all = relation.desc.attributes();
    let class = db.cluster.catalog.class(relation.oid);
    let is_generated =
        |n: usize| class.is_some_and(|class| class.defaults.get(n).is_some_and(ColumnDefault::is_generated));
    if names.is_empty() {
        return Ok((0..all.len()).filter(|n| !all[*n].dropped && !is_generated(*n)).collect());
    }
    let find = |name: &String| -> Result<usize, StatementError> {
        let found = all.iter().position(|column| !column.dropped && column.name == *name);
        let missing = || format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
        let found = found.ok_or_else(|| StatementError::server("42703", missing()))?;
        if is_generated(found) {
            let error = SqlError::new("42P10", format!("column \"{name}\" is a generated column"));
            return Err(error.with_detail("Generated columns cannot be used in COPY.").into());
        }
        Ok(found)
    };
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let column = find(name)?;
        if columns.contains(&column) {
            let message = format!("column \"{name}\" specified more than once");
            return Err(StatementError::server("42701", message));
        }
        columns.push(column);
    }
    Ok(columns)
}
