//! ANALYZE: the sample of a table, what its columns and expressions of its indexes have in it, and what pg_class and
//! `pg_statistic` say afterwards (`do_analyze_rel`, `compute_index_stats`, src/backend/commands/analyze.c).

use super::column_stats::Column;
use super::extended_stats::build_extended;
use super::inherit::analyze_children;
use super::partition;
use super::sampling::acquire_sample_rows;
use super::vacuum::{record_index_stats, record_stats, tables};
use crate::access::heap::detoast_attr;
use crate::access::heap::vacuum::RelStats;
use crate::cluster::pg_class::{ClassStats, ColumnDefault, ColumnStats};
use crate::sql::ast::RangeVar;
use crate::sql::executor::index::{OpenIndex, open_indexes};
use crate::sql::executor::row::read_row;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData, Stop};
use crate::version::Behaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::varlena::raw_size;
use ffviz_format::datum::{Attribute, SqlError, Value};
use ffviz_format::page::Oid;

/// `WIDTH_THRESHOLD`: longer values are not compared
pub(super) const WIDTH_THRESHOLD: usize = 1024;
/// `default_statistics_target`
pub(super) const TARGET: u16 = 100;
/// rows that a bin of a histogram asks for
pub(super) const ROWS_A_BIN: usize = 300;
/// `VARHDRSZ`
pub(super) const VARHDRSZ: usize = ffviz_format::datum::varlena::VARHDRSZ;

/// ANALYZE.
pub(in crate::sql) fn analyze(
    db: &mut Database,
    names: &[RangeVar],
    columns: &[Vec<String>],
) -> Result<String, SqlError> {
    for table in tables(db, names)? {
        analyze_table(db, table, names, columns)?;
    }
    Ok("ANALYZE".to_string())
}

/// The same by a statement that another one runs, whose transaction it does not end (`IsInTransactionBlock`).
pub(in crate::sql) fn analyze_within(db: &mut Database, names: &[RangeVar]) -> Result<String, SqlError> {
    let mark = |db: &mut Database, in_block: bool| {
        let xact = db.cluster.pg.backend_mut().xact.as_mut();
        xact.is_some_and(|xact| core::mem::replace(&mut xact.in_block, in_block))
    };
    let before = mark(db, true);
    let done = analyze(db, names, &[]);
    mark(db, before);
    done
}

/// `acquire_inherited_sample_rows`: rows of all partitions are looked at. What is found out of all of them together is
/// not kept, but for their number.
fn analyze_inherited(db: &mut Database, table: Oid) -> Result<(), SqlError> {
    let (mut is_any, mut total) = (false, 0.0);
    for part in db.cluster.catalog.inheritors(table) {
        let relation = db.cluster.pg.relation(part)?;
        if db.cluster.pg.buffers.has_file(relation.file) {
            let sample = acquire_sample_rows(db, &relation, usize::from(TARGET) * ROWS_A_BIN);
            is_any |= !sample.rows.is_empty();
            total += sample.total;
        }
    }
    if db.cluster.version().counts_from_unknown()
        && let Some(stats) = db.cluster.catalog.class(table).map(|class| class.stats)
    {
        db.cluster.set_stats(table, ClassStats { reltuples: total as f32, ..stats });
    }
    if is_any {
        db.cluster.pg.current_xid();
    }
    Ok(())
}

/// The numbers of columns that are named; none: all of them.
fn wanted_columns(relation: &RelationData, names: &[String]) -> Result<Vec<u16>, SqlError> {
    let mut wanted = Vec::new();
    for name in names {
        let found = relation.desc.attributes().iter().find(|column| !column.dropped && column.name == *name);
        let table = &relation.name;
        let missing = || SqlError::new("42703", format!("column \"{name}\" of relation \"{table}\" does not exist"));
        let number = found.ok_or_else(missing)?.num;
        if wanted.contains(&number) {
            let message = format!("column \"{name}\" of relation \"{table}\" appears more than once");
            return Err(SqlError::new("42701", message));
        }
        wanted.push(number);
    }
    Ok(wanted)
}

/// `analyze_rel`, in a transaction of its own where the session is in none; `names`: the tables of the statement, with
/// the columns that it names of each.
pub(super) fn analyze_table(
    db: &mut Database,
    table: Oid,
    names: &[RangeVar],
    columns: &[Vec<String>],
) -> Result<(), SqlError> {
    let root = partition::root_among(db, table, names);
    let n = names.iter().position(|name| db.find(name) == Some(root));
    let wanted = n.and_then(|n| columns.get(n)).map_or(&[][..], Vec::as_slice);
    let wanted = wanted_columns(&*db.cluster.pg.relation(table)?, wanted)?;
    analyze_columns(db, table, &wanted)
}

fn analyze_columns(db: &mut Database, table: Oid, wanted: &[u16]) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    if db.cluster.pg.backend().xact.is_none() {
        db.cluster.pg.start_transaction(false);
    }
    db.cluster.take_snapshot();
    let is_whole = db.cluster.pg.buffers.has_file(relation.file);
    let done = match is_whole {
        true => do_analyze_rel(db, &relation, wanted).and_then(|()| analyze_children(db, &relation, wanted)),
        false => {
            // its rows are those of its partitions
            let now = db.cluster.clock;
            db.cluster.pg.report_analyze(table, (0, 0), wanted.is_empty(), now);
            analyze_inherited(db, table).map_err(Stop::Error)
        }
    };
    match done {
        Ok(()) => {}
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Wait(_)) => return Err(SqlError::new("XX000", "ANALYZE waits for a row")),
    }
    let extra = u32::from(db.cluster.version().analyze_uses_command());
    match &mut db.cluster.pg.backend_mut().xact {
        // so that a table may be named twice
        Some(xact) if xact.in_block => {
            xact.next_command();
            xact.command_id += extra;
        }
        _ => {
            db.cluster.end_statement()?;
            db.cluster.pg.start_transaction(false);
        }
    }
    Ok(())
}

/// Of these columns, or all where none are named; then of expressions of indexes too.
fn do_analyze_rel(db: &mut Database, relation: &Arc<RelationData>, named: &[u16]) -> Outcome<()> {
    let is_named = |column: &Attribute| named.is_empty() || named.contains(&column.num);
    let targets =
        db.cluster.catalog.class(relation.oid).map(|class| class.statistics_targets.clone()).unwrap_or_default();
    let given = db.cluster.catalog.class(relation.oid).map(|class| class.distinct_options.clone()).unwrap_or_default();
    let target = |column: &Attribute| targets.get(&column.num).copied().unwrap_or(TARGET);
    let most = relation.desc.attributes().iter().filter(|it| !it.dropped && is_named(it)).map(target).max();
    let objects = db.cluster.catalog.class(relation.oid).map(|class| class.statistics_objects.clone());
    let objects = objects.unwrap_or_default();
    let most = most.into_iter().chain(objects.iter().filter_map(|it| it.target)).max();
    let wanted = usize::from(most.unwrap_or(TARGET)).max(1) * ROWS_A_BIN;
    let sample = acquire_sample_rows(db, relation, wanted);
    let rows = sample.rows.iter().filter_map(|tid| read_row(db, relation, *tid));
    let rows: Vec<Vec<Value>> = rows.map(|row| row.values).collect();
    let attributes: Vec<Attribute> = relation.desc.attributes().to_vec();
    let defaults = db.cluster.catalog.class(relation.oid).map(|class| class.defaults.clone()).unwrap_or_default();
    let is_virtual = |n: usize| matches!(defaults.get(n), Some(ColumnDefault::Virtual(_)));
    let columns = attributes.iter().enumerate().map(|(n, column)| match target(column) {
        0 => Ok(None),
        _ if !is_named(column) || is_virtual(n) => Ok(None),
        target => examine(db, &attributes, n, target, &rows, sample.total),
    });
    let mut columns: Vec<Option<ColumnStats>> = columns.collect::<Outcome<_>>()?;
    for (attnum, distinct) in given {
        if let Some(Some(stats)) = columns.get_mut(usize::from(attnum) - 1).filter(|_| distinct != 0.0) {
            stats.distinct = distinct;
        }
    }
    let is_known = |(attnum, stats): (u16, &Option<ColumnStats>)| stats.as_ref().map(|_| attnum);
    let analyzed: Vec<u16> = (1..).zip(&columns).filter_map(is_known).collect();
    db.cluster.set_column_stats(relation.oid, numbered(columns));
    for object in objects.iter().filter(|_| !rows.is_empty()) {
        // one of whose columns something is not known is left as it is, which a server warns of
        if object.columns.iter().all(|attnum| analyzed.contains(attnum)) {
            let targets = object.columns.iter().filter_map(|attnum| targets.get(attnum)).max();
            let target = object.target.or_else(|| targets.copied()).unwrap_or(TARGET);
            build_extended(db, relation, object, (&rows, target, sample.total))?;
        }
    }
    for mut index in open_indexes(db, relation)? {
        let entries = analyze_index(db, &mut index, &rows, (sample.total, named.is_empty()))?;
        record_index_stats(db, &index.relation, entries as f32);
    }
    let (relpages, relallvisible, relallfrozen) = db.cluster.count_pages(relation);
    let reltuples = sample.total as f32;
    let in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    let found = RelStats { relpages, reltuples, relallvisible, relallfrozen, relfrozenxid: None, relminmxid: None };
    record_stats(db, relation, &found, in_block);
    let (rows, now) = ((sample.total as i64, sample.dead as i64), db.cluster.clock);
    db.cluster.pg.report_analyze(relation.oid, rows, named.is_empty(), now);
    Ok(())
}

/// `compute_index_stats`: its expressions over the rows that its predicate lets in. Gives how many entries it has, by
/// the sample.
fn analyze_index(
    db: &mut Database,
    index: &mut OpenIndex,
    rows: &[Vec<Value>],
    (total, expressions): (f64, bool),
) -> Outcome<f64> {
    let relation = index.relation.clone();
    let columns = relation.index.as_ref().map_or(&[][..], |form| &form.columns);
    let has_expressions = columns.iter().any(|column| column.attnum == 0);
    if !has_expressions && index.predicate.is_empty() {
        return Ok(total);
    }
    let mut entries = Vec::new();
    for row in rows {
        entries.extend(index.entry(db, row)?.map(<[Value]>::to_vec));
    }
    let within = ceil(entries.len() as f64 / (rows.len() as f64).max(1.0) * total);
    // what an expression gives has a header of four bytes
    let computed = |attribute: &Attribute| Attribute { storage: 'p', ..attribute.clone() };
    let attributes: Vec<Attribute> = index.relation.desc.attributes().iter().map(computed).collect();
    let mut found = Vec::new();
    for (n, column) in columns.iter().enumerate().filter(|_| expressions) {
        found.push(if column.attnum == 0 { examine(db, &attributes, n, TARGET, &entries, within)? } else { None });
    }
    db.cluster.set_column_stats(index.relation.oid, numbered(found));
    Ok(within)
}

fn ceil(number: f64) -> f64 {
    let whole = number as u64 as f64;
    if whole < number { whole + 1.0 } else { whole }
}

fn numbered(columns: Vec<Option<ColumnStats>>) -> BTreeMap<u16, Arc<ColumnStats>> {
    (1..).zip(columns).filter_map(|(attnum, stats)| Some((attnum, Arc::new(stats?)))).collect()
}

/// The column from 0 in the rows of the sample (`examine_attribute`, then the loop of `compute_scalar_stats`).
pub(super) fn examine(
    db: &mut Database,
    attributes: &[Attribute],
    n: usize,
    target: u16,
    rows: &[Vec<Value>],
    total: f64,
) -> Outcome<Option<ColumnStats>> {
    let attribute = &attributes[n];
    if attribute.dropped {
        return Ok(None);
    }
    let typid = attribute.ty().oid;
    db.check_order(typid)?;
    let kind = Kind::of(typid);
    let mut column =
        Column { target: target.into(), fixed_width: u16::try_from(attribute.len).ok(), ..Column::default() };
    for value in rows.iter().filter_map(|row| row.get(n)) {
        if value.is_null() {
            column.nulls += 1;
            continue;
        }
        column.width += stored_size(value, attribute);
        let is_wide = column.fixed_width.is_none() && raw_size(value) + VARHDRSZ > WIDTH_THRESHOLD;
        if is_wide {
            column.too_wide += 1;
        } else {
            column.values.push(detoast_attr(&mut db.cluster.pg, value, kind)?);
        }
    }
    Ok(column.stats(typid, total))
}

/// `VARSIZE_ANY` of a value as its column stores it.
fn stored_size(value: &Value, attribute: &Attribute) -> usize {
    const SHORT_MAX: usize = ffviz_format::datum::form::SHORT_MAX;
    match value {
        Value::Stored(bytes) => bytes.len(),
        _ => {
            let len = value.bytes().map_or(0, |bytes| bytes.len());
            if len <= SHORT_MAX && attribute.storage != 'p' { len + 1 } else { len + VARHDRSZ }
        }
    }
}
