//! Window functions over all rows (src/backend/executor/nodeWindowAgg.c, src/backend/utils/adt/windowfuncs.c): rows
//! come out in the order of the last window.

use super::eval;
use super::tuplesort::{SortTuple, Tuplesort};
use crate::sql::ast::{Frame, FrameBound, FrameUnit};
use crate::sql::expr::{Aggregation, Context, SortKey, WindowCall, WindowFunction};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::{SqlError, Value};

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
        let mut args = call.args.iter().map(|arg| eval(db, arg, &row.0, known)).collect::<Outcome<Vec<_>>>()?;
        // whether the row counts comes last
        if let Some(filter) = &call.filter {
            args.push(eval(db, filter, &row.0, known)?);
        }
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
            WindowFunction::FirstValue => frame(call, rows, n, &peers).next().map_or(Value::Null, value),
            WindowFunction::LastValue => frame(call, rows, n, &peers).next_back().map_or(Value::Null, value),
            WindowFunction::NthValue => nth_value(&rows[n].2, frame(call, rows, n, &peers))?.map_or(Value::Null, value),
            WindowFunction::Ntile => ntile(&rows[0].2, n, rows.len())?,
            WindowFunction::PercentRank if rows.len() == 1 => Value::Float8(0.0),
            WindowFunction::PercentRank => Value::Float8(peers.start as f64 / (rows.len() - 1) as f64),
            WindowFunction::CumeDist => Value::Float8(peers.end as f64 / rows.len() as f64),
            WindowFunction::Lag | WindowFunction::Lead => shifted(call, rows, n),
            WindowFunction::Aggregate(aggregate) if call.frame.is_some() => {
                let mut state = Aggregation::new(aggregate);
                let taken = frame(call, rows, n, &peers);
                accumulated(db, &mut state, call, &rows[taken])?
            }
            WindowFunction::Aggregate(_) => {
                if is_new && let Some(state) = &mut state {
                    last = accumulated(db, state, call, &rows[peers.clone()])?;
                }
                last.clone()
            }
        });
    }
    Ok(results)
}

/// `update_frameheadpos`, `update_frametailpos`: the rows of a row's frame; `peers` are those that are equal to it.
fn frame(
    call: &WindowCall,
    rows: &[(Grouped, Vec<Value>, Vec<Value>)],
    n: usize,
    peers: &Range<usize>,
) -> Range<usize> {
    let Some(Frame { unit, start, end }) = call.frame else { return 0..peers.end };
    let count = rows.len();
    let by = |by: i64| usize::try_from((n as i64).saturating_add(by)).ok();
    let (start, end) = match unit {
        FrameUnit::Rows => (
            match start {
                FrameBound::First => 0,
                FrameBound::By(rows) => by(rows).unwrap_or(0),
                FrameBound::Last => count,
            },
            match end {
                FrameBound::First => 0,
                FrameBound::By(rows) => by(rows).map_or(0, |last| last.saturating_add(1)),
                FrameBound::Last => count,
            },
        ),
        FrameUnit::Range => (
            if start == FrameBound::First { 0 } else { peers.start },
            if end == FrameBound::Last { count } else { peers.end },
        ),
        FrameUnit::Groups => {
            let groups: Vec<Range<usize>> = groups(rows);
            let own = groups.iter().position(|group| group.contains(&n)).unwrap_or(0) as i64;
            let at = |by: i64| usize::try_from(own.saturating_add(by));
            (
                match start {
                    FrameBound::By(by) => at(by).map_or(0, |at| groups.get(at).map_or(count, |group| group.start)),
                    _ => 0,
                },
                match end {
                    FrameBound::By(by) => at(by).map_or(0, |at| groups.get(at).map_or(count, |group| group.end)),
                    _ => count,
                },
            )
        }
    };
    start.min(count)..end.min(count).max(start.min(count))
}

/// Rows of a partition that are equal to each other, together.
fn groups(rows: &[(Grouped, Vec<Value>, Vec<Value>)]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for n in 0..rows.len() {
        match groups.last_mut() {
            Some(last) if rows[last.start].1 == rows[n].1 => last.end = n + 1,
            _ => groups.push(n..n + 1),
        }
    }
    groups
}

/// `window_nth_value`
fn nth_value(args: &[Value], frame: Range<usize>) -> Result<Option<usize>, SqlError> {
    match args.get(1) {
        Some(Value::Int4(n)) if *n < 1 => {
            Err(SqlError::new("22016", "argument of nth_value must be greater than zero"))
        }
        Some(Value::Int4(n)) => Ok(frame.clone().nth(*n as usize - 1)),
        _ => Ok(None),
    }
}

/// `window_ntile`: the first ones have a row more, where the rows cannot be shared out evenly.
fn ntile(args: &[Value], n: usize, count: usize) -> Result<Value, SqlError> {
    let Some(Value::Int4(buckets)) = args.first() else { return Ok(Value::Null) };
    let Some(buckets) = usize::try_from(*buckets).ok().filter(|buckets| *buckets > 0) else {
        return Err(SqlError::new("22014", "argument of ntile must be greater than zero"));
    };
    let (least, larger) = (count / buckets, count % buckets);
    let in_larger = larger * (least + 1);
    let bucket = if n < in_larger { n / (least + 1) } else { larger + (n - in_larger) / least.max(1) };
    Ok(Value::Int4(bucket as i32 + 1))
}

/// The aggregate with those rows too.
fn accumulated(
    db: &mut Database,
    state: &mut Aggregation,
    call: &WindowCall,
    rows: &[(Grouped, Vec<Value>, Vec<Value>)],
) -> Outcome<Value> {
    let input = Context::input(db);
    for (_, _, args) in rows {
        let (args, filter) = args.split_at(call.args.len());
        if call.filter.is_none() || filter.first() == Some(&Value::Bool(true)) {
            state.add(args, &input)?;
        }
    }
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
