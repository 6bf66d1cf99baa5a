//! Functions and operators of bit strings (src/backend/utils/adt/varbit.c).

use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{BIT, INT4, INT8, VARBIT};
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::Value;
use ffviz_format::datum::bits::{Bits, Together};
use ffviz_format::datum::error::{Result, SqlError};

pub(super) const PROCS: &[Proc] = &[
    f("bit_count", &[BIT], INT8, |call| Ok(Value::Int8(bits(call, 0)?.ones()))).since(14),
    f("bit_length", &[BIT], INT4, |call| Ok(Value::Int4(bits(call, 0)?.count as i32))),
    f("bitand", &[BIT, BIT], BIT, |call| together(call, Together::And)),
    f("bitcat", &[VARBIT, VARBIT], VARBIT, |call| Ok(bits(call, 0)?.concat(&bits(call, 1)?).value())),
    f("bitnot", &[BIT], BIT, |call| Ok(bits(call, 0)?.not().value())),
    f("bitor", &[BIT, BIT], BIT, |call| together(call, Together::Or)),
    f("bitshiftleft", &[BIT, INT4], BIT, |call| Ok(bits(call, 0)?.shifted_left(call.integer(1)).value())),
    f("bitshiftright", &[BIT, INT4], BIT, |call| Ok(bits(call, 0)?.shifted_left(-call.integer(1)).value())),
    f("bitxor", &[BIT, BIT], BIT, |call| together(call, Together::Xor)),
    f("get_bit", &[BIT, INT4], INT4, |call| bits(call, 0)?.get(call.int(1)).map(Value::Int4)),
    f("length", &[BIT], INT4, |call| Ok(Value::Int4(bits(call, 0)?.count as i32))),
    f("octet_length", &[BIT], INT4, |call| Ok(Value::Int4(bits(call, 0)?.octets() as i32))),
    f("overlay", &[BIT, BIT, INT4], BIT, |call| overlay(call, None)),
    f("overlay", &[BIT, BIT, INT4, INT4], BIT, |call| overlay(call, Some(call.int(3)))),
    f("position", &[BIT, BIT], INT4, |call| Ok(Value::Int4(bits(call, 0)?.position(&bits(call, 1)?)))),
    f("set_bit", &[BIT, INT4, INT4], BIT, |call| Ok(bits(call, 0)?.set(call.int(1), call.int(2))?.value())),
    f("substring", &[BIT, INT4], BIT, |call| Ok(bits(call, 0)?.substring(call.int(1), None)?.value())),
    f("substring", &[BIT, INT4, INT4], BIT, |call| {
        Ok(bits(call, 0)?.substring(call.int(1), Some(call.int(2)))?.value())
    }),
];

/// An argument taken apart.
fn bits(call: &Call<'_, '_>, n: usize) -> Result<Bits> {
    Bits::of(&call.args[n]).ok_or_else(|| SqlError::new("XX000", "a bit string was expected"))
}

fn together(call: &Call<'_, '_>, how: Together) -> Result<Value> {
    bits(call, 0)?.with(&bits(call, 1)?, how).map(Bits::value)
}

fn overlay(call: &Call<'_, '_>, count: Option<i32>) -> Result<Value> {
    bits(call, 0)?.overlay(&bits(call, 1)?, call.int(2), count).map(Bits::value)
}
