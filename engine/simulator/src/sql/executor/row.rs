//! Rows: reading a version's columns, and evaluating expressions over them. Values in the TOAST table are fetched when
//! an expression asks.

use crate::access::heap::{detoast_attr, heap_tuple};
use crate::cluster::Lookup;
use crate::cluster::pg_class::ColumnDefault;
use crate::sql::expr::{Calculation, Context, Env, Typed};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MvccSnapshot, Outcome, RelationData, TableAm};
use crate::undo::{undo_newest, undo_newest_xid, undo_version, undo_version_xid};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::form::SHORT_MAX;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::varlena::VARHDRSZ;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::{ItemPointer, LpFlags, TransactionId};

/// A row version of a table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::sql) struct Row {
    /// where it lies
    pub tid: ItemPointer,
    /// its columns, as they are stored
    pub values: Vec<Value>,
}

/// Reads the version at a place, whoever sees it.
pub(in crate::sql) fn read_row(db: &Database, relation: &RelationData, tid: ItemPointer) -> Option<Row> {
    let mut values = Vec::new();
    read_values(db, relation, tid, &mut values).then_some(Row { tid, values })
}

/// The same into memory that is there. Is there a version?
pub(super) fn read_values(db: &Database, relation: &RelationData, tid: ItemPointer, values: &mut Vec<Value>) -> bool {
    if relation.am == TableAm::Undo {
        let newest = undo_newest(&db.cluster.pg, relation, tid);
        newest.iter().for_each(|tuple| relation.desc.deform(tuple, values));
        return newest.is_some();
    }
    let page = db.cluster.pg.buffers.page(Buffer::main(relation.file, tid.block));
    let lp = page.item_id(tid.offset).filter(|lp| lp.lp_flags() == LpFlags::Normal);
    if let Some(lp) = lp {
        relation.desc.deform(page.slice(lp.lp_off()..lp.lp_off() + lp.lp_len()), values);
    }
    lp.is_some()
}

/// Of a table of the undo engine the version that the snapshot sees, with its system columns where they are wanted. Is
/// there one?
pub(super) fn read_seen_values(
    db: &Database,
    relation: &RelationData,
    (tid, snapshot): (ItemPointer, &MvccSnapshot),
    system: bool,
    values: &mut Vec<Value>,
) -> bool {
    let pg = &db.cluster.pg;
    let Some(tuple) = undo_version(pg, relation, tid, snapshot) else { return false };
    relation.desc.deform(&tuple, values);
    if system {
        let xmin = undo_version_xid(pg, relation, tid, snapshot);
        push_undo_system_values(relation, tid, xmin, values);
    }
    true
}

/// A row of the undo engine names who changed it last, and no more.
fn push_undo_system_values(relation: &RelationData, tid: ItemPointer, xmin: TransactionId, values: &mut Vec<Value>) {
    values.push(Value::Tid(tid));
    values.extend([xmin, 0, 0, 0, relation.oid].map(Value::Oid));
}

/// `heap_getsysattr`: appends the system columns of the version at a place, in the order of
/// [`SYSTEM`](crate::sql::expr::SYSTEM). `cmin` and `cmax` are what the header has, be it of the one, the other or
/// both.
pub(in crate::sql) fn push_system_values(
    db: &Database,
    relation: &RelationData,
    tid: ItemPointer,
    values: &mut Vec<Value>,
) {
    if relation.am == TableAm::Undo {
        let xmin = undo_newest_xid(&db.cluster.pg, relation, tid);
        return push_undo_system_values(relation, tid, xmin, values);
    }
    if let Some(tuple) = heap_tuple(&db.cluster.pg, Buffer::main(relation.file, tid.block), tid.offset) {
        let HeapTuple { t_xmin, t_xmax, t_field3, .. } = tuple;
        values.push(Value::Tid(tid));
        values.extend([t_xmin, t_xmax, t_field3, t_field3, relation.oid].map(Value::Oid));
    }
}

/// Is the value in the TOAST table?
pub(in crate::sql) fn is_external(value: &Value) -> bool {
    matches!(value, Value::Stored(bytes) if bytes.first() == Some(&1))
}

/// The value of an expression over a row; a column alone as it is stored, compressed or in the TOAST table.
pub(in crate::sql) fn eval(db: &mut Database, expr: &Typed, values: &[Value], aggregates: &[Value]) -> Outcome<Value> {
    if values.iter().any(is_external) {
        let fetched = fetch(db, expr, values)?;
        return Ok(eval_fetched(db, expr, &fetched, values, aggregates)?);
    }
    Ok(eval_fetched(db, expr, values, values, aggregates)?)
}

/// `ExecProject`: the values of expressions over a row, into memory that is there; columns alone as they are stored.
pub(super) fn project<'a>(
    db: &mut Database,
    expressions: impl IntoIterator<Item = &'a Typed>,
    row: (&[Value], &[Value]),
    values: &mut Vec<Value>,
) -> Outcome<()> {
    values.clear();
    compute(db, expressions.into_iter().map(|expr| (expr, None)), row, |value| values.push(value))
}

/// The same, each handed out as it is computed. Beside an expression stands how it is calculated, where that is
/// prepared.
pub(super) fn compute<'a>(
    db: &mut Database,
    expressions: impl IntoIterator<Item = (&'a Typed, Option<&'a Calculation>)>,
    (row, aggregates): (&[Value], &[Value]),
    mut put: impl FnMut(Value),
) -> Outcome<()> {
    let mut has_external = None;
    for (expr, calculation) in expressions {
        let calculated = match calculation {
            Some(calculation) => calculation.value(row, &db.params),
            None => expr.integer_value(row, &db.params),
        };
        if let Some(value) = calculated {
            put(value);
        } else if *has_external.get_or_insert_with(|| row.iter().any(is_external)) {
            put(eval(db, expr, row, aggregates)?);
        } else {
            put(eval_fetched(db, expr, row, row, aggregates)?);
        }
    }
    Ok(())
}

fn eval_fetched(
    db: &mut Database,
    expr: &Typed,
    values: &[Value],
    stored: &[Value],
    aggregates: &[Value],
) -> Result<Value, SqlError> {
    let (params, outer) = (core::mem::take(&mut db.params), core::mem::take(&mut db.running.outer));
    let mut env = Env::new(values, &params, db as &mut dyn Context);
    (env.stored, env.aggregates, env.outer) = (stored, aggregates, &outer);
    let value = expr.eval_stored(&mut env);
    (db.params, db.running.outer) = (params, outer);
    value
}

/// Reads a value that is compressed, or in the TOAST table.
pub(super) fn fetch_value(db: &mut Database, kind: Kind, value: &mut Value) -> Outcome<()> {
    if matches!(value, Value::Stored(_)) {
        *value = detoast_attr(&mut db.cluster.pg, value, kind)?;
    }
    Ok(())
}

/// The row with the values fetched that the expression reads, and does not only hand on.
fn fetch(db: &mut Database, expr: &Typed, values: &[Value]) -> Outcome<Vec<Value>> {
    let (mut slots, mut fetched) = (Vec::new(), values.to_vec());
    expr.slots_fetched(values, db.cluster.version().major(), &mut slots);
    for (slot, kind) in slots {
        fetch_value(db, kind, &mut fetched[usize::from(slot)])?;
    }
    Ok(fetched)
}

/// Do all conditions hold (`ExecQual`)?
pub(in crate::sql) fn holds<'a>(
    db: &mut Database,
    filter: impl IntoIterator<Item = &'a Typed>,
    values: &[Value],
) -> Outcome<bool> {
    for condition in filter {
        if eval(db, condition, values, &[])? != Value::Bool(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A new version has NULL in columns that were dropped.
pub(in crate::sql) fn forget_dropped(relation: &RelationData, values: &mut [Value]) {
    if !relation.desc.has_dropped() {
        return;
    }
    let columns = relation.desc.attributes().iter().zip(values);
    columns.filter(|(column, _)| column.dropped).for_each(|(_, value)| *value = Value::Null);
}

/// `ExecConstraints`: NOT NULL.
///
/// # Errors
/// A column that is NULL and may not be.
#[inline]
pub(in crate::sql) fn check_not_null(db: &mut Database, relation: &RelationData, values: &[Value]) -> Outcome<()> {
    match relation.desc.null_violation(values) {
        None => Ok(()),
        Some(column) => Err(not_null_violation(db, relation, values, column)?.into()),
    }
}

#[cold]
fn not_null_violation(
    db: &mut Database,
    relation: &RelationData,
    values: &[Value],
    column: usize,
) -> Outcome<SqlError> {
    let (column, table) = (&relation.desc.attributes()[column].name, &relation.name);
    let message = format!("null value in column \"{column}\" of relation \"{table}\" violates not-null constraint");
    failing_row(db, relation, values, SqlError::new("23502", message))
}

/// An error that tells the row.
#[cold]
pub(in crate::sql) fn failing_row(
    db: &mut Database,
    relation: &RelationData,
    values: &[Value],
    error: SqlError,
) -> Outcome<SqlError> {
    let row = row_description(db, relation, values)?;
    db.cluster.look_up([Lookup::SchemaName]);
    Ok(error.with_detail(format!("Failing row contains ({row}).")))
}

/// `ExecBuildSlotValueDescription`: the values of a row; of long ones the beginning.
fn row_description(db: &mut Database, relation: &RelationData, values: &[Value]) -> Outcome<String> {
    const LONGEST: usize = 64;
    let mut told = Vec::new();
    for (column, value) in relation.desc.attributes().iter().zip(values).filter(|(column, _)| !column.dropped) {
        let class = db.cluster.catalog.class(relation.oid);
        let default = class.and_then(|class| class.defaults.get(usize::from(column.num - 1)));
        if matches!(default, Some(ColumnDefault::Virtual(_))) {
            told.push(String::from("virtual"));
            continue;
        }
        let fetched = match is_external(value) {
            true => detoast_attr(&mut db.cluster.pg, value, Kind::of(column.typid))?,
            false => value.clone(),
        };
        let mut text = fetched.described(column.typid);
        if text.len() > LONGEST {
            text.truncate((0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0));
            text.push_str("...");
        }
        told.push(text);
    }
    Ok(told.join(", "))
}

/// Arrays that were computed as expanded objects, flattened before their tuple is made: then they have short headers in
/// it (`tts_virtual_materialize`, src/backend/executor/execTuples.c).
pub(in crate::sql) fn materialize(relation: &RelationData, values: &mut [Value]) {
    for (column, value) in relation.desc.attributes().iter().zip(values) {
        if let Value::Stored(bytes) = value
            && Kind::of(column.typid) == Kind::Array
            && let Some((header, array)) = bytes.split_first_chunk::<VARHDRSZ>()
            && u32::from_le_bytes(*header) == (bytes.len() as u32) << 2
            && array.len() <= SHORT_MAX
        {
            *value = Value::Array(array.into());
        }
    }
}
