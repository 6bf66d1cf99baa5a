//! A scalar out of jsonb (`jsonb_bool`, `jsonb_int4`, … in src/backend/utils/adt/jsonb.c).

use super::cast::of_numeric;
use crate::datum::error::{Result, SqlError};
use crate::datum::input::Context;
use crate::datum::jsonb::{Scalar, scalar};
use crate::datum::numeric::Number;
use crate::datum::sql_type::{Kind, SqlType};
use crate::datum::value::Value;
use alloc::format;

/// The boolean or number that the value is.
pub fn cast(bytes: &[u8], to: SqlType, context: &Context) -> Result<Value> {
    let is_bool = to.kind() == Kind::Bool;
    let what = match scalar(bytes) {
        Scalar::Bool(value) if is_bool => return Ok(Value::Bool(value)),
        Scalar::Numeric(bytes) if to.kind() == Kind::Numeric => return Ok(Value::Numeric(bytes.into())),
        Scalar::Numeric(bytes) if !is_bool => {
            return of_numeric(&Number::unpack(bytes).unwrap_or(Number::NaN), to.kind());
        }
        Scalar::Null if context.version().casts_json_null() => return Ok(Value::Null),
        Scalar::Null => "null",
        Scalar::String => "string",
        Scalar::Numeric(_) => "numeric",
        Scalar::Bool(_) => "boolean",
        Scalar::Array => "array",
        Scalar::Object => "object",
    };
    let name = SqlType::plain(to.oid).name();
    Err(SqlError::new("22023", format!("cannot cast jsonb {what} to type {name}")))
}
