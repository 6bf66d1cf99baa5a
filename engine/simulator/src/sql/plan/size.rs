//! How many rows a table has, before anything is counted: `estimate_rel_size`, `get_rel_data_width`
//! (src/backend/optimizer/util/plancat.c), `get_typavgwidth` (src/backend/utils/cache/lsyscache.c).

use crate::sql::catalog::{IndexInfo, IndexKey, PageCosts, TableInfo};
use crate::sql::expr::{Node, Typed};
use crate::version::{Behaviour, SqlBehaviour};
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{Attribute, SqlType};
use ffviz_format::page::{BlockNumber, PgVersion};

/// `work_mem`, in bytes: what rows that are sorted or hashed take in memory.
pub const WORK_MEM: f64 = 4_194_304.0;
/// Bytes of a page after its header.
const USABLE: u32 = 8192 - 24;
/// A heap tuple's header, aligned, and its line pointer; index tuples are taken to have as much.
const OVERHEAD: u32 = 24 + 4;
/// An empty table that was never vacuumed is taken for one that is going to be filled.
const FEW_PAGES: u32 = 10;

/// The size of a relation as the planner sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// blocks
    pub pages: f64,
    /// rows
    pub tuples: f64,
    /// share of the blocks that are all-visible
    pub allvisfrac: f64,
    /// what reading the blocks costs
    pub costs: PageCosts,
}

/// `clamp_row_est`: at least one row, a whole number of rows.
pub fn clamp(rows: f64) -> f64 {
    if rows <= 1.0 { 1.0 } else { rint(rows) }
}

/// To the nearest whole number, the even one of two.
pub fn rint(number: f64) -> f64 {
    // above 2^52 every number is whole; adding it rounds what is below
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    if number >= WHOLE { number } else { number + WHOLE - WHOLE }
}

/// `ceil` of a number that is not negative, which core lacks.
pub fn ceil(number: f64) -> f64 {
    let whole = number as u64 as f64;
    if whole < number { whole + 1.0 } else { whole }
}

/// The size of a table, or of its sample.
pub fn of_table(table: &TableInfo, major: u32) -> Size {
    let whole = of_whole_table(table, major);
    table.sample.map_or(whole, |sample| sample.size(whole))
}

fn of_whole_table(table: &TableInfo, major: u32) -> Size {
    let blocks = expected_blocks(table, major);
    let (pages, costs) = (f64::from(blocks), table.page_costs);
    if blocks == 0 {
        return Size { pages, tuples: 0.0, allvisfrac: 0.0, costs };
    }
    let density = if is_counted(table) {
        table.reltuples / f64::from(table.relpages)
    } else {
        let widths = (0..).zip(&table.columns).map(|(slot, column)| width(table, slot, &column.attribute));
        let width = widths.sum::<u32>() + OVERHEAD;
        if PgVersion::of_major(major).estimates_by_fillfactor() {
            clamp(f64::from(USABLE * u32::from(table.fillfactor) / 100 / width))
        } else {
            f64::from(USABLE / width)
        }
    };
    let allvisfrac = f64::from(table.relallvisible.min(blocks)) / pages;
    Size { pages, tuples: rint(density * pages), allvisfrac, costs }
}

/// The blocks that a table is taken to have.
fn expected_blocks(table: &TableInfo, major: u32) -> BlockNumber {
    let is_told = PgVersion::of_major(major).counts_from_unknown();
    let uncounted = if is_told { table.reltuples < 0.0 } else { table.relpages == 0 };
    // of a table with children it is taken that these have the rows
    if table.blocks < FEW_PAGES && uncounted && !table.has_subclass { FEW_PAGES } else { table.blocks }
}

/// Is it known how many rows a block has?
fn is_counted(table: &TableInfo) -> bool {
    table.reltuples >= 0.0 && table.relpages > 0
}

/// Is it computed from the widths of all columns how many rows there are?
pub fn asks_widths(table: &TableInfo, major: u32) -> bool {
    expected_blocks(table, major) > 0 && !is_counted(table)
}

/// Blocks and entries of an index; without a predicate as many as the table has rows.
pub fn of_index(index: &IndexInfo, table: Size) -> (f64, f64) {
    let pages = f64::from(index.blocks);
    if index.predicate.is_empty() {
        return (pages, table.tuples);
    }
    // the metapage has no entries; once it is known how many pages there are, each index is taken to have one
    let metapages = u32::from(index.gist.is_none() || index.relpages > 0);
    let (blocks, relpages) = (index.blocks.saturating_sub(metapages), index.relpages.saturating_sub(1));
    let density = if index.reltuples >= 0.0 && relpages > 0 {
        index.reltuples / f64::from(relpages)
    } else {
        let keys = index.keys.iter().map(|key| typavgwidth(key.expr.ty) * if is_twice(index, key) { 2 } else { 1 });
        let keys = keys.sum::<u32>();
        f64::from(USABLE / (keys + OVERHEAD))
    };
    (pages, rint(density * f64::from(blocks)).min(table.tuples))
}

/// Are a lower and an upper bound kept of the key?
fn is_twice(index: &IndexInfo, key: &IndexKey) -> bool {
    index.gist.is_some() && key.expr.ty.typlen() > 0
}

/// `get_attavgwidth`: what ANALYZE found, else by the type.
pub fn width(table: &TableInfo, slot: u16, attribute: &Attribute) -> u32 {
    if attribute.dropped {
        return 0;
    }
    let known = table.stats.iter().find(|(node, _)| *node == Node::Slot(slot)).map(|(_, stats)| stats.width);
    // a column of a domain has no length of its own
    let is_of_domain = table.columns.get(usize::from(slot)).is_some_and(|column| column.domain.is_some());
    let typmod = if is_of_domain { -1 } else { attribute.typmod };
    let by_type = || typavgwidth(SqlType { oid: attribute.ty().oid, typmod });
    known.filter(|width| *width > 0).unwrap_or_else(by_type)
}

/// `set_pathtarget_width`: of a value over a table's rows.
pub fn width_of(expr: &Typed, table: &TableInfo) -> u32 {
    let Node::Slot(slot) = expr.node else { return typavgwidth(expr.ty) };
    match table.columns.get(usize::from(slot)) {
        Some(column) if column.attribute.ty().oid == expr.ty.oid => width(table, slot, &column.attribute),
        _ => typavgwidth(expr.ty),
    }
}

/// `relation_byte_size`: what so many rows of that width take when they are sorted or hashed.
pub fn byte_size(rows: f64, width: u32) -> f64 {
    const HEADER: f64 = 24.0;
    rows * (f64::from(width.next_multiple_of(8)) + HEADER)
}

/// `get_typavgwidth`: half of what may be, where that is much.
pub fn typavgwidth(ty: SqlType) -> u32 {
    const UNKNOWN: u32 = 32;
    const MUCH: u32 = 1000;
    if let Ok(len @ 1..) = u32::try_from(ty.typlen()) {
        return len;
    }
    match (ty.kind(), maximum_size(ty)) {
        (_, None) => UNKNOWN,
        (Kind::BpChar, Some(most)) => most,
        (_, Some(most)) if most <= UNKNOWN => most,
        (_, Some(most)) => UNKNOWN + (most.min(MUCH) - UNKNOWN) / 2,
    }
}

/// `type_maximum_size`, in UTF8.
fn maximum_size(ty: SqlType) -> Option<u32> {
    const VARHDRSZ: u32 = ffviz_format::datum::varlena::VARHDRSZ as u32;
    const MAX_CHARACTER: u32 = 4;
    let typmod = u32::try_from(ty.typmod).ok()?;
    match ty.kind() {
        Kind::BpChar | Kind::Text => Some((typmod - VARHDRSZ) * MAX_CHARACTER + VARHDRSZ),
        Kind::Bit => Some(typmod.div_ceil(8) + 2 * VARHDRSZ),
        Kind::Numeric => {
            const HEADER: u32 = 8;
            let precision = (typmod - VARHDRSZ) >> 16;
            Some(HEADER + (precision + 6) / 4 * 2)
        }
        _ => None,
    }
}
