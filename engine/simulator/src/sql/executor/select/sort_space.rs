//! How much memory a sort has taken, as EXPLAIN ANALYZE tells it: `Sort Method: quicksort  Memory: 25kB`
//! (`tuplesort_get_stats`, src/backend/utils/sort/tuplesort.c; `show_sort_info`, src/backend/commands/explain.c).
//!
//! ```text
//!  an array of 1024 places, 24 bytes each, which doubles when it is full     + each row as a tuple without system columns
//! ```

use crate::sql::executor::running::CountedSort;
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use ffviz_format::datum::form::data_offset;
use ffviz_format::datum::{SqlType, TupleDesc, Value};
use ffviz_format::page::PgVersion;

/// `INITIAL_MEMTUPSIZE`
const FEWEST_PLACES: usize = 1024;
/// `sizeof(SortTuple)`
const PLACE: usize = 24;
/// `MINIMAL_TUPLE_OFFSET`: what a tuple in memory has less than one on a page.
const LESS: usize = 8;
/// Half of `work_mem`: as long as there is as much left the array doubles.
const DOUBLES: usize = 2 << 20;

/// `t_len` of a row in memory (`heap_form_minimal_tuple`).
pub(super) fn minimal_tuple_size(desc: &TupleDesc, values: &[Value]) -> usize {
    data_offset(values.len(), values.iter().any(Value::is_null)) - LESS + desc.data_size(values)
}

/// What the sort took that got so many rows of these types and has these at its end; `bound`: how many were wanted.
pub(super) fn counted(
    types: &[SqlType],
    version: PgVersion,
    (got, bound): (usize, Option<usize>),
    rows: impl Iterator<Item = Vec<Value>>,
) -> CountedSort {
    let attributes: Vec<_> = (1..).zip(types).map(|(n, ty)| ty.attribute(n, "")).collect();
    // one column is sorted as a value, of which memory has a copy unless it is passed by value; copies that are never
    // given back are not counted from 17 on
    let is_value = matches!(&attributes[..], [column] if version.sorts_single_values(column.byval));
    let is_copied = attributes.iter().any(|column| !column.byval);
    let has_none = is_value && !(is_copied && (bound.is_some() || version.counts_sorted_values()));
    let desc = TupleDesc::new(attributes);
    let tuple = |values: Vec<Value>| {
        if is_value { desc.data_size(&values) } else { minimal_tuple_size(&desc, &values) }
    };
    let is_heap = bound.is_some_and(|bound| got > bound.saturating_mul(2));
    let most = bound.filter(|_| is_heap).map_or(got, |bound| 2 * bound + 1);
    let mut places = FEWEST_PLACES;
    while most >= places {
        places *= 2;
    }
    let array = places * PLACE + version.chunk_header();
    let sizes = rows.map(tuple).filter(|size| *size > 0 && !has_none);
    let tuples: usize = sizes.map(|size| version.sort_chunk(size, bound.is_some())).sum();
    let all = array + tuples;
    CountedSort { is_heap, kilobytes: (all <= DOUBLES).then(|| all.div_ceil(1024) as u64) }
}
