//! How many rows a function in FROM is expected to give, by its arguments: `generate_series_int4_support`
//! (src/backend/utils/adt/int.c), `generate_series_timestamp_support` (timestamp.c), `generate_series_numeric_support`
//! (numeric.c), `array_unnest_support` (arrayfuncs.c).

use super::fold::fold;
use super::scalar::{USECS_PER_DAY, number};
use crate::sql::expr::{Node, SeriesCall, Typed};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::error::Result;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{Value, array_elements};

/// `prorows`
const UNKNOWN: f64 = 1000.0;

/// The call with its arguments worked out, and how many rows that lets expect.
///
/// # Errors
/// Of an argument that is constant.
pub fn of_arguments(mut series: SeriesCall, input: Input) -> Result<SeriesCall> {
    series.args = series.args.into_iter().map(|arg| fold(arg, input)).collect::<Result<_>>()?;
    series.over = series.over.map(|over| fold(*over, input).map(Box::new)).transpose()?;
    series.rows = if series.is_of_array() { elements(&series.args) } else { steps(&series, input).unwrap_or(UNKNOWN) };
    Ok(series)
}

/// `estimate_array_length`
pub(super) fn elements(args: &[Typed]) -> f64 {
    const UNKNOWN: f64 = 10.0;
    match args {
        [Typed { node: Node::Const(array), .. }] => array_elements(array).map_or(1.0, |elements| elements.len() as f64),
        [Typed { node: Node::Array(elements), .. }] => elements.len() as f64,
        [_] => UNKNOWN,
        // subscripts
        _ => self::UNKNOWN,
    }
}

fn steps(series: &SeriesCall, input: Input) -> Option<f64> {
    let is_whole = matches!(series.ty.oid, 20 | 23);
    if !is_whole && !input.version().expects_series() {
        return None;
    }
    let constant = |arg: &Typed| if let Node::Const(value) = &arg.node { Some(value.clone()) } else { None };
    let values = series.args.iter().map(constant).collect::<Option<Vec<Value>>>()?;
    if values.iter().any(Value::is_null) {
        return Some(1.0);
    }
    let of = |value: &Value| number(value, series.ty, &input);
    let (from, to) = (of(values.first()?)?, of(values.get(1)?)?);
    let step = match values.get(2) {
        None => 1.0,
        Some(Value::Interval(step)) => microseconds(*step),
        Some(step) => of(step)?,
    };
    (step != 0.0).then(|| ((to - from + step) / step).max(1.0))
}

/// `INTERVAL_TO_MICROSECONDS`: a month has 30 days.
fn microseconds(Interval { time, day, month }: Interval) -> f64 {
    f64::from(month).mul_add(30.0, f64::from(day)) * USECS_PER_DAY + time as f64
}
