//! Functions of rows (src/backend/utils/adt/rowtypes.c; `ExecEvalRowNullInt`,
//! src/backend/executor/execExprInterp.c).

use super::json::row_text;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::eval::described;
use alloc::sync::Arc;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Record, Value};

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

/// Is it NULL, or are all its columns? With NOT: is none?
pub(super) fn row_is_null(call: &mut Call<'_, '_>, negated: bool) -> Value {
    Value::Bool(match row(call) {
        Ok(record) => record.columns().all(|(_, value)| value.is_null() != negated),
        Err(_) => !negated,
    })
}
