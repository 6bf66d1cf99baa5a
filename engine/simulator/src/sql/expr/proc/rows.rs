//! Functions of rows (src/backend/utils/adt/rowtypes.c; `ExecEvalRowNullInt`,
//! src/backend/executor/execExprInterp.c).

use super::json::row_text;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::eval::described;
use crate::sql::expr::pg_catalog::RECORD;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{RECORD_ARRAY, Record, RowType, SqlType, TupleDesc, Value};

/// The row that is the argument.
fn row(call: &mut Call<'_, '_>) -> Result<Arc<Record>> {
    match described(call.args[0].clone(), call.env)? {
        Value::Record(record) => Ok(record),
        _ => Err(SqlError::new(NOT_SIMULATED, "this value as a row is not supported")),
    }
}

pub(super) fn record_out(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = call.output(0)?.unwrap_or_default();
    Ok(Value::text(&text))
}

pub(super) fn row_to_json(call: &mut Call<'_, '_>) -> Result<Value> {
    let style = call.input().style;
    Ok(Value::text(&row_text(&*row(call)?, &style)?))
}

/// A row behind those of an array, which may be NULL.
pub(super) fn path_append(call: &mut Call<'_, '_>) -> Result<Value> {
    let last = described(call.args[1].clone(), call.env)?;
    let mut rows = match &call.args[0] {
        Value::Record(path) => path.values(),
        _ => Vec::new(),
    };
    rows.push(last);
    let attribute = |(n, row): (u16, &Value)| {
        let mut attribute = SqlType::plain(RECORD).attribute(n, "");
        if let Value::Record(row) = row {
            attribute.fields = row.desc().attributes().to_vec();
        }
        attribute
    };
    let desc = Arc::new(TupleDesc::new((1..).zip(&rows).map(attribute).collect()));
    Ok(RowType { oid: RECORD_ARRAY, desc }.form(&rows))
}

/// Is the row among those of the array?
pub(super) fn path_has(call: &mut Call<'_, '_>) -> Result<Value> {
    let row = described(call.args[1].clone(), call.env)?;
    let Value::Record(path) = &call.args[0] else { return Ok(Value::Null) };
    Ok(Value::Bool(path.values().iter().any(|one| ffviz_format::datum::record::compare(one, &row).is_eq())))
}

/// A row with its depth before its columns: one more than that of the row before, where there is one.
pub(super) fn row_at_depth(call: &mut Call<'_, '_>) -> Result<Value> {
    let before = match &call.args[0] {
        Value::Record(before) => before.values().first().and_then(Value::integer),
        _ => None,
    };
    let row = match described(call.args[1].clone(), call.env)? {
        Value::Record(row) => row,
        _ => return Ok(Value::Null),
    };
    let mut attributes = Vec::from([SqlType::INT8.attribute(1, "f1")]);
    attributes.extend(row.desc().attributes().iter().cloned());
    let depth = Value::Int8(before.map_or(0, |depth| depth + 1));
    let values: Vec<Value> = core::iter::once(depth).chain(row.values()).collect();
    Ok(RowType { oid: RECORD, desc: Arc::new(TupleDesc::new(attributes)) }.form(&values))
}

/// Is it NULL, or are all its columns? With NOT: is none?
pub(super) fn row_is_null(call: &mut Call<'_, '_>, negated: bool) -> Value {
    Value::Bool(match row(call) {
        Ok(record) => record.columns().all(|(_, value)| value.is_null() != negated),
        Err(_) => !negated,
    })
}
