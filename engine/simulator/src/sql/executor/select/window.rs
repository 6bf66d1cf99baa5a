//! Window functions over all rows (src/backend/executor/nodeWindowAgg.c, src/backend/utils/adt/windowfuncs.c): rows
//! come out in the order of the last window.

use super::eval;
use super::tuplesort::{SortTuple, Tuplesort};
use crate::sql::expr::{Aggregation, Context, SortKey, WindowCall, WindowFunction};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::Value;

/// A row, and its aggregates.
pub(super) type Grouped = (Vec<Value>, Vec<Value>);

/// Appends the result of each call to each row's aggregates.
pub(super) fn windows(db: &mut Database, calls: &[WindowCall], mut rows: Vec<Grouped>) -> Outcome<Vec<Grouped>> {
    let width = rows.first().map_or(0, |(_, aggregates)| aggregates.len());
    for call in calls {
        rows = window(db, call, rows, width)?;
    }
    Ok(rows)
}

fn window(db: &mut Database, call: &WindowCall, rows: Vec<Grouped>, width: usize) -> Outcome<Vec<Grouped>> {
    let plain = |expr: &crate::sql::expr::Typed| SortKey { expr: expr.clone(), descending: false, nulls_first: false };
    let keys: Vec<SortKey> = call.partition.iter().map(plain).chain(call.order.iter().cloned()).collect();
    let mut sort = Tuplesort::new(&keys, 0, None);
    for row in rows {
        let known = &row.1[..width];
        let by = keys.iter().map(|key| eval(db, &key.expr, &row.0, known)).collect::<Outcome<Vec<_>>>()?;
        let args = call.args.iter().map(|arg| eval(db, arg, &row.0, known)).collect::<Outcome<Vec<_>>>()?;
        sort.put(db, SortTuple { by: by.clone(), row: (row, by, args) })?;
    }
    let mut sorted: Vec<(Grouped, Vec<Value>, Vec<Value>)> =
        sort.perform(db)?.into_iter().map(|tuple| tuple.row).collect();
    let parts = call.partition.len();
    let mut start = 0;
    while start < sorted.len() {
        let same = sorted[start..].iter().take_while(|row| row.1[..parts] == sorted[start].1[..parts]).count();
        let results = partition(db, call, &sorted[start..start + same])?;
        sorted[start..start + same].iter_mut().zip(results).for_each(|(row, result)| row.0.1.push(result));
        start += same;
    }
    Ok(sorted.into_iter().map(|(row, ..)| row).collect())
}

/// The results of the rows of a partition.
fn partition(db: &mut Database, call: &WindowCall, rows: &[(Grouped, Vec<Value>, Vec<Value>)]) -> Outcome<Vec<Value>> {
    let mut results = Vec::with_capacity(rows.len());
    let (mut peers, mut dense) = (0..0, 0);
    let mut last = Value::Null;
    let mut state = match &call.function {
        WindowFunction::Aggregate(aggregate) => Some(Aggregation::new(aggregate)),
        _ => None,
    };
    for n in 0..rows.len() {
        let is_new = n >= peers.end;
        if is_new {
            let equal = rows[n..].iter().take_while(|row| row.1 == rows[n].1).count();
            peers = n..n + equal;
            dense += 1;
        }
        let value = |at: usize| rows.get(at).and_then(|row| row.2.first()).cloned().unwrap_or(Value::Null);
        results.push(match &call.function {
            WindowFunction::RowNumber => Value::Int8(n as i64 + 1),
            WindowFunction::Rank => Value::Int8(peers.start as i64 + 1),
            WindowFunction::DenseRank => Value::Int8(dense),
            WindowFunction::FirstValue => value(0),
            WindowFunction::LastValue => value(peers.end - 1),
            WindowFunction::Lag | WindowFunction::Lead => shifted(call, rows, n),
            WindowFunction::Aggregate(_) => {
                if is_new && let Some(state) = &mut state {
                    last = accumulated(db, state, rows, peers.clone())?;
                }
                last.clone()
            }
        });
    }
    Ok(results)
}

/// The aggregate with those rows too.
fn accumulated(
    db: &mut Database,
    state: &mut Aggregation,
    rows: &[(Grouped, Vec<Value>, Vec<Value>)],
    more: Range<usize>,
) -> Outcome<Value> {
    let input = Context::input(db);
    rows[more].iter().try_for_each(|row| state.add(&row.2, &input))?;
    Ok(state.clone().result(&input)?)
}

/// The value so many rows before, or behind.
fn shifted(call: &WindowCall, rows: &[(Grouped, Vec<Value>, Vec<Value>)], n: usize) -> Value {
    let args = &rows[n].2;
    let by = match args.get(1) {
        None => 1,
        Some(Value::Int4(by)) => i64::from(*by),
        Some(_) => return Value::Null,
    };
    let by = if call.function == WindowFunction::Lag { -by } else { by };
    let at = usize::try_from(n as i64 + by).ok();
    match at.and_then(|at| rows.get(at)) {
        Some(row) => row.2[0].clone(),
        None => args.get(2).cloned().unwrap_or(Value::Null),
    }
}
