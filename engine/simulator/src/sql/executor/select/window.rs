//! Window functions over all rows (src/backend/executor/nodeWindowAgg.c, src/backend/utils/adt/windowfuncs.c): rows
//! come out in the order of the last window that is worked out.

use super::eval;
use super::sort::sort_all;
use super::tuplesort::SortTuple;
use crate::sql::ast::{Exclude, Frame, FrameBound, FrameUnit};
use crate::sql::expr::pg_catalog::{DATE, INTERVAL, TIMESTAMP};
use crate::sql::expr::{Aggregation, Context, SortKey, WindowCall, WindowFunction, compare};
use crate::sql::plan::{ActiveWindow, SelectPlan, StepNode};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::ops::{self, Arithmetic};
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{SqlError, Value};

/// A row, and its aggregates.
pub(super) type Grouped = (Vec<Value>, Vec<Value>);

/// One, by which it is sorted, and the arguments.
type Row = (Grouped, Vec<Value>, Vec<Value>);

/// Appends the result of each call to each row's aggregates.
pub(super) fn windows(db: &mut Database, plan: &SelectPlan, mut rows: Vec<Grouped>) -> Outcome<Vec<Grouped>> {
    let width = rows.first().map_or(0, |(_, aggregates)| aggregates.len());
    rows.iter_mut().for_each(|(_, known)| known.resize(width + plan.windows.len(), Value::Null));
    for (n, active) in plan.active_windows(db.cluster.version()).iter().enumerate() {
        rows = in_order(db, plan, (n, active), rows)?;
        rows = window(db, plan, active, rows, width)?;
    }
    Ok(rows)
}

/// Rows as a window wants them: sorted as the plan does it.
fn in_order(
    db: &mut Database,
    plan: &SelectPlan,
    (n, active): (usize, &ActiveWindow),
    rows: Vec<Grouped>,
) -> Outcome<Vec<Grouped>> {
    let steps = plan.upper.as_ref().map(|upper| &upper.steps[..]);
    let before = steps.map(|steps| {
        let at = steps.iter().position(|step| step.node == StepNode::Window(n));
        at.and_then(|at| at.checked_sub(1)).map(|below| &steps[below].node)
    });
    match before {
        Some(Some(StepNode::Sort(keys, presorted))) => sorted(db, keys, *presorted, rows),
        Some(_) => Ok(rows),
        None => sorted(db, &plan.windows[active.calls[0]].keys(), 0, rows),
    }
}

/// Rows with all that is known of them, sorted, or sorted within groups of equal first keys.
fn sorted(db: &mut Database, keys: &[SortKey], presorted: usize, rows: Vec<Grouped>) -> Outcome<Vec<Grouped>> {
    let mut tuples = Vec::with_capacity(rows.len());
    for row in rows {
        let by = keys.iter().map(|key| eval(db, &key.expr, &row.0, &row.1)).collect::<Outcome<Vec<_>>>()?;
        tuples.push(SortTuple { by, row });
    }
    let sorted = sort_all(db, keys, presorted, None, tuples)?;
    Ok(sorted.into_iter().map(|tuple| tuple.row).collect())
}

fn window(
    db: &mut Database,
    plan: &SelectPlan,
    active: &ActiveWindow,
    rows: Vec<Grouped>,
    width: usize,
) -> Outcome<Vec<Grouped>> {
    let first = &plan.windows[active.calls[0]];
    let mut sorted: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        let keys = first.partition.iter().chain(first.order.iter().map(|key| &key.expr));
        let by = keys.map(|key| eval(db, key, &row.0, &row.1)).collect::<Outcome<Vec<_>>>()?;
        sorted.push((row, by, Vec::new()));
    }
    let parts = first.partition.len();
    for n in &active.calls {
        let call = &plan.windows[*n];
        for (row, _, args) in &mut sorted {
            *args = call.args.iter().map(|arg| eval(db, arg, &row.0, &row.1)).collect::<Outcome<Vec<_>>>()?;
            // whether the row counts comes last
            if let Some(filter) = &call.filter {
                args.push(eval(db, filter, &row.0, &row.1)?);
            }
        }
        let bounds = bounds(db, call)?;
        let mut start = 0;
        while start < sorted.len() {
            let same = sorted[start..].iter().take_while(|row| row.1[..parts] == sorted[start].1[..parts]).count();
            let results = partition(db, (call, &bounds), &sorted[start..start + same])?;
            let of_partition = sorted[start..start + same].iter_mut();
            of_partition.zip(results).for_each(|((row, ..), result)| row.1[width + n] = result);
            start += same;
        }
    }
    Ok(sorted.into_iter().map(|(row, ..)| row).collect())
}

/// The results of the rows of a partition.
fn partition(db: &mut Database, (call, bounds): (&WindowCall, &Bounds), rows: &[Row]) -> Outcome<Vec<Value>> {
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
            WindowFunction::FirstValue => frame(db, (call, bounds), rows, n, &peers)?.next().map_or(Value::Null, value),
            WindowFunction::LastValue => {
                frame(db, (call, bounds), rows, n, &peers)?.next_back().map_or(Value::Null, value)
            }
            WindowFunction::NthValue => {
                nth_value(&rows[n].2, frame(db, (call, bounds), rows, n, &peers)?)?.map_or(Value::Null, value)
            }
            WindowFunction::Ntile => ntile(&rows[0].2, n, rows.len())?,
            WindowFunction::PercentRank if rows.len() == 1 => Value::Float8(0.0),
            WindowFunction::PercentRank => Value::Float8(peers.start as f64 / (rows.len() - 1) as f64),
            WindowFunction::CumeDist => Value::Float8(peers.end as f64 / rows.len() as f64),
            WindowFunction::Lag | WindowFunction::Lead => shifted(call, rows, n),
            WindowFunction::Aggregate(aggregate) if call.frame.is_some() => {
                let mut state = Aggregation::new(aggregate);
                let taken = frame(db, (call, bounds), rows, n, &peers)?;
                accumulated(db, &mut state, call, &mut taken.map(|at| &rows[at]))?
            }
            WindowFunction::Aggregate(_) => {
                if is_new && let Some(state) = &mut state {
                    last = accumulated(db, state, call, &mut rows[peers.clone()].iter())?;
                }
                last.clone()
            }
        });
    }
    Ok(results)
}

/// The frame of all rows, and the offsets of RANGE.
type Bounds = (Option<Frame>, [Option<Value>; 2]);

/// `calculate_frame_offsets`
fn bounds(db: &mut Database, call: &WindowCall) -> Outcome<Bounds> {
    let mut offsets = [None, None];
    let Some(mut frame) = call.frame else { return Ok((None, offsets)) };
    let ends = [(&mut frame.start, "starting"), (&mut frame.end, "ending")];
    for (((bound, which), expr), offset) in ends.into_iter().zip(&call.offsets).zip(&mut offsets) {
        let (Some(expr), FrameBound::Offset(preceding)) = (expr, *bound) else { continue };
        let wrong = |state, what| SqlError::new(state, alloc::format!("frame {which} offset must not be {what}"));
        match eval(db, expr, &[], &[])? {
            Value::Null => return Err(wrong("22004", "null").into()),
            Value::Int8(by) if frame.unit != FrameUnit::Range => {
                if by < 0 {
                    return Err(wrong("22013", "negative").into());
                }
                *bound = FrameBound::By(if preceding { -by } else { by });
            }
            value => *offset = Some(value),
        }
    }
    Ok((Some(frame), offsets))
}

/// `in_range`: where the rows begin, or with `is_end` end, whose keys are no further than that from a row's.
fn in_range(
    db: &Database,
    call: &WindowCall,
    rows: &[Row],
    (n, offset, preceding, is_end): (usize, &Value, bool, bool),
) -> Result<usize, SqlError> {
    let at = call.partition.len();
    let (Some(order), Some(key)) = (call.order.first(), rows[n].1.get(at)) else { return Ok(0) };
    let (input, of) = (Context::input(db), order.expr.ty.oid);
    let arithmetic = if preceding == order.descending { Arithmetic::Add } else { Arithmetic::Sub };
    let (bound, is_negative, types) = match (key, offset) {
        (Value::Date(_) | Value::Timestamp(_) | Value::TimestampTz(_) | Value::Interval(_), Value::Interval(_)) => {
            let zero = Value::Interval(Interval::default());
            let is_negative = compare(offset, &zero, [INTERVAL; 2], &input)?.is_lt();
            (
                ops::arithmetic(arithmetic, key, offset, &input)?,
                is_negative,
                [of, if of == DATE { TIMESTAMP } else { of }],
            )
        }
        (Value::Numeric(_), _) => {
            let negated = ops::arithmetic(Arithmetic::Sub, key, key, &input)?;
            let is_negative = compare(offset, &negated, [of; 2], &input)?.is_lt();
            (ops::arithmetic(arithmetic, key, offset, &input)?, is_negative, [of; 2])
        }
        (Value::Float4(_) | Value::Float8(_), Value::Float8(by)) => {
            let key = match key {
                Value::Float4(key) => f64::from(*key),
                Value::Float8(key) => *key,
                _ => 0.0,
            };
            let bound = if arithmetic == Arithmetic::Add { key + by } else { key - by };
            (Value::Float8(bound), *by < 0.0 || by.is_nan(), [of; 2])
        }
        _ => {
            let (key, by) = (key.integer().unwrap_or(0), offset.integer().unwrap_or(0));
            let bound = if arithmetic == Arithmetic::Add { key.saturating_add(by) } else { key.saturating_sub(by) };
            (Value::Int8(bound), by < 0, [of; 2])
        }
    };
    if is_negative {
        return Err(SqlError::new("22013", "invalid preceding or following size in window function"));
    }
    let mut place = rows.iter().position(|row| !row.1[at].is_null()).unwrap_or(0);
    for row in rows.iter().filter(|row| !row.1[at].is_null()) {
        let found = compare(&row.1[at], &bound, types, &input)?;
        let found = if order.descending { found.reverse() } else { found };
        place += usize::from(if is_end { found.is_le() } else { found.is_lt() });
    }
    Ok(place)
}

/// `update_frameheadpos`, `update_frametailpos`, `row_is_in_frame`: the rows of a row's frame; `peers` are those that
/// are equal to it.
fn frame(
    db: &Database,
    (call, (frame, offsets)): (&WindowCall, &Bounds),
    rows: &[Row],
    n: usize,
    peers: &Range<usize>,
) -> Outcome<impl DoubleEndedIterator<Item = usize> + use<>> {
    let whole = frame_of(db, (call, (*frame, offsets)), rows, n, peers)?;
    let (left_out, stays) = match frame.map_or(Exclude::Nothing, |frame| frame.exclude) {
        Exclude::Nothing => (whole.end..whole.end, None),
        Exclude::Current => (n..n + 1, None),
        Exclude::Group => (peers.clone(), None),
        Exclude::Ties => (peers.clone(), whole.contains(&n).then_some(n)),
    };
    let within = |at: usize| at.clamp(whole.start, whole.end);
    let (before, behind) = (whole.start..within(left_out.start), within(left_out.end)..whole.end);
    Ok(before.chain(stays).chain(behind))
}

fn frame_of(
    db: &Database,
    (call, (frame, offsets)): (&WindowCall, (Option<Frame>, &[Option<Value>; 2])),
    rows: &[Row],
    n: usize,
    peers: &Range<usize>,
) -> Outcome<Range<usize>> {
    let Some(Frame { unit, start, end, .. }) = frame else { return Ok(0..peers.end) };
    let count = rows.len();
    let by = |by: i64| usize::try_from((n as i64).saturating_add(by)).ok();
    let (start, end) = match unit {
        FrameUnit::Rows => (
            match start {
                FrameBound::First => 0,
                FrameBound::By(rows) => by(rows).unwrap_or(0),
                FrameBound::Last | FrameBound::Offset(_) => count,
            },
            match end {
                FrameBound::First => 0,
                FrameBound::By(rows) => by(rows).map_or(0, |last| last.saturating_add(1)),
                FrameBound::Last | FrameBound::Offset(_) => count,
            },
        ),
        FrameUnit::Range => {
            let is_null = rows[n].1.get(call.partition.len()).is_none_or(Value::is_null);
            let at = |bound, which: usize| match (bound, &offsets[which]) {
                (FrameBound::First, _) => Ok(0),
                (FrameBound::Last, _) => Ok(count),
                (FrameBound::Offset(preceding), Some(offset)) if !is_null => {
                    in_range(db, call, rows, (n, offset, preceding, which == 1))
                }
                _ => Ok(if which == 0 { peers.start } else { peers.end }),
            };
            (at(start, 0)?, at(end, 1)?)
        }
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
    Ok(start.min(count)..end.min(count).max(start.min(count)))
}

/// Rows of a partition that are equal to each other, together.
fn groups(rows: &[Row]) -> Vec<Range<usize>> {
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
fn nth_value(args: &[Value], mut frame: impl Iterator<Item = usize>) -> Result<Option<usize>, SqlError> {
    match args.get(1) {
        Some(Value::Int4(n)) if *n < 1 => {
            Err(SqlError::new("22016", "argument of nth_value must be greater than zero"))
        }
        Some(Value::Int4(n)) => Ok(frame.nth(*n as usize - 1)),
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
    rows: &mut dyn Iterator<Item = &Row>,
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
fn shifted(call: &WindowCall, rows: &[Row], n: usize) -> Value {
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
