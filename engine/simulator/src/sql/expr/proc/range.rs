//! Functions of ranges (src/backend/utils/adt/rangetypes.c).

use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{
    ANYELEMENT, ANYRANGE, BOOL, DATE, INT4, INT8, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ,
};
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::range::{Bound, Range, make_range, range_flags};
use ffviz_format::page::Oid;

const INT4RANGE: Oid = 3904;
const NUMRANGE: Oid = 3906;
const TSRANGE: Oid = 3908;
const TSTZRANGE: Oid = 3910;
const DATERANGE: Oid = 3912;
const INT8RANGE: Oid = 3926;

pub(super) const PROCS: &[Proc] =
    &[
        f("daterange", &[DATE, DATE], DATERANGE, constructor2).of_null(),
        f("daterange", &[DATE, DATE, TEXT], DATERANGE, constructor3).of_null(),
        f("elem_contained_by_range", &[ANYELEMENT, ANYRANGE], BOOL, |call| {
            yes(range(call, 1)?.contains_element(&call.args[0]))
        }),
        f("int4range", &[INT4, INT4], INT4RANGE, constructor2).of_null(),
        f("int4range", &[INT4, INT4, TEXT], INT4RANGE, constructor3).of_null(),
        f("int8range", &[INT8, INT8], INT8RANGE, constructor2).of_null(),
        f("int8range", &[INT8, INT8, TEXT], INT8RANGE, constructor3).of_null(),
        f("isempty", &[ANYRANGE], BOOL, |call| yes(range(call, 0)?.is_empty())),
        f("lower", &[ANYRANGE], ANYELEMENT, |call| end(range(call, 0)?.lower)),
        f("lower_inc", &[ANYRANGE], BOOL, |call| yes(range(call, 0)?.lower.inclusive)),
        f("lower_inf", &[ANYRANGE], BOOL, |call| {
            let range = range(call, 0)?;
            yes(!range.is_empty() && range.lower.value.is_none())
        }),
        f("numrange", &[NUMERIC, NUMERIC], NUMRANGE, constructor2).of_null(),
        f("numrange", &[NUMERIC, NUMERIC, TEXT], NUMRANGE, constructor3).of_null(),
        f("range_adjacent", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.is_adjacent(&range(call, 1)?)?)),
        f("range_after", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 1)?.is_before(&range(call, 0)?))),
        f("range_before", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.is_before(&range(call, 1)?))),
        f("range_contained_by", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 1)?.contains(&range(call, 0)?))),
        f("range_contains", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.contains(&range(call, 1)?))),
        f("range_contains_elem", &[ANYRANGE, ANYELEMENT], BOOL, |call| {
            yes(range(call, 0)?.contains_element(&call.args[1]))
        }),
        f("range_intersect", &[ANYRANGE, ANYRANGE], ANYRANGE, |call| range(call, 0)?.intersect(&range(call, 1)?)),
        f("range_merge", &[ANYRANGE, ANYRANGE], ANYRANGE, |call| range(call, 0)?.union(&range(call, 1)?, false)),
        f("range_minus", &[ANYRANGE, ANYRANGE], ANYRANGE, |call| range(call, 0)?.minus(&range(call, 1)?)),
        f("range_overlaps", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.overlaps(&range(call, 1)?))),
        f("range_overleft", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.is_overleft(&range(call, 1)?))),
        f("range_overright", &[ANYRANGE, ANYRANGE], BOOL, |call| yes(range(call, 0)?.is_overright(&range(call, 1)?))),
        f("range_union", &[ANYRANGE, ANYRANGE], ANYRANGE, |call| range(call, 0)?.union(&range(call, 1)?, true)),
        f("tsrange", &[TIMESTAMP, TIMESTAMP], TSRANGE, constructor2).of_null(),
        f("tsrange", &[TIMESTAMP, TIMESTAMP, TEXT], TSRANGE, constructor3).of_null(),
        f("tstzrange", &[TIMESTAMPTZ, TIMESTAMPTZ], TSTZRANGE, constructor2).of_null(),
        f("tstzrange", &[TIMESTAMPTZ, TIMESTAMPTZ, TEXT], TSTZRANGE, constructor3).of_null(),
        f("upper", &[ANYRANGE], ANYELEMENT, |call| end(range(call, 0)?.upper)),
        f("upper_inc", &[ANYRANGE], BOOL, |call| yes(range(call, 0)?.upper.inclusive)),
        f("upper_inf", &[ANYRANGE], BOOL, |call| {
            let range = range(call, 0)?;
            yes(!range.is_empty() && range.upper.value.is_none())
        }),
    ];

const fn yes(answer: bool) -> Result<Value> {
    Ok(Value::Bool(answer))
}

/// An argument taken apart.
fn range(call: &Call<'_, '_>, n: usize) -> Result<Range> {
    Range::of(&call.args[n]).ok_or_else(|| SqlError::new("XX000", "a range was expected"))
}

/// `range_lower`, `range_upper`: NULL where there is no such bound.
fn end(bound: Bound) -> Result<Value> {
    Ok(bound.value.unwrap_or(Value::Null))
}

/// `range_constructor2`
fn constructor2(call: &mut Call<'_, '_>) -> Result<Value> {
    between(call, [true, false])
}

/// `range_constructor3`
fn constructor3(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[2].is_null() {
        return Err(SqlError::new("22000", "range constructor flags argument must not be null"));
    }
    let inclusive = range_flags(call.text(2)?)?;
    between(call, inclusive)
}

fn between(call: &Call<'_, '_>, [lower, upper]: [bool; 2]) -> Result<Value> {
    let bound = |n: usize, inclusive, lower| Bound::new(call.args[n].clone(), inclusive, lower);
    make_range(call.proc.result, bound(0, lower, true), bound(1, upper, false))
}
