//! What a scan costs: `cost_seqscan`, `cost_index`, `cost_bitmap_heap_scan`, `cost_sort`
//! (src/backend/optimizer/path/costsize.c), `btcostestimate`, `genericcostestimate` (src/backend/utils/adt/selfuncs.c),
//! with the settings of pages; those of the processor are the default ones.

use super::clause::IndexClause;
use super::selectivity::{RANGE, Selectivity};
use super::size::{Size, WORK_MEM, byte_size, ceil, clamp, of_index, rint};
use super::{KeyOp, math};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{IndexInfo, PageCosts};
use crate::sql::expr::{Node, Typed, is_hashed, proc_name};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

pub const CPU_TUPLE: f64 = 0.01;
pub const CPU_INDEX_TUPLE: f64 = 0.005;
pub const CPU_OPERATOR: f64 = 0.0025;
/// `DEFAULT_PAGE_CPU_MULTIPLIER`
const PAGE_CPU: f64 = 50.0;

/// An estimated cost; 1 is a block read in sequence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// before the first row
    pub startup: f64,
    /// in all
    pub total: f64,
}

/// What an index scan costs, without the heap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexCost {
    /// of the scan of the index
    pub cost: Cost,
    /// share of the table's rows
    pub selectivity: f64,
    /// blocks of the index
    pub pages: f64,
}

/// `cost_qual_eval`: once, and for each row.
pub fn quals<'a>(clauses: impl IntoIterator<Item = &'a Typed>, major: u32) -> Cost {
    let mut cost = Cost::default();
    clauses.into_iter().for_each(|clause| add_qual(clause, major, &mut cost));
    cost
}

/// `estimate_array_length`, of an array that is not known
pub(super) const UNKNOWN_LENGTH: usize = 10;

/// `procost` of a function in a procedural language.
const PROCEDURAL: f64 = 100.0;

fn add_qual(expr: &Typed, major: u32, cost: &mut Cost) {
    match &expr.node {
        Node::AnyOf(left, list, negated) => {
            if is_hashed(list, *negated, major) {
                cost.startup += CPU_OPERATOR * list.len() as f64;
                cost.total += 2.0 * CPU_OPERATOR;
            } else {
                cost.total += CPU_OPERATOR * 0.5 * list.len() as f64;
            }
            add_qual(left, major, cost);
            return;
        }
        // of half of an array that is not known
        Node::AnyElement(parts, _) if matches!(parts.0.node, Node::Query(_)) => {
            let mut each = Cost::default();
            add_qual(&parts.1, major, &mut each);
            cost.total += each.total * 0.5 * UNKNOWN_LENGTH as f64;
            return;
        }
        // one operator, which a server has for it
        Node::Case(case) if case.distinct().is_some() => {
            cost.total += CPU_OPERATOR;
            let operands = case.distinct().map(|(operands, _)| [&operands.0, &operands.1]);
            operands.into_iter().flatten().for_each(|operand| add_qual(operand, major, cost));
            return;
        }
        // no function of its own
        Node::Call(builtin, _) if proc_name(*builtin) == Some("coalesce") => {}
        // a literal, which a server reads before
        Node::Call(builtin, args) if is_literal(&args[..]) && proc_name(*builtin) == Some("regclassin") => {}
        Node::Binary(..) | Node::Negate(_) | Node::Call(..) => cost.total += CPU_OPERATOR,
        Node::Rows(_, pairs) => cost.total += CPU_OPERATOR * pairs.len() as f64,
        Node::Routine(..) => cost.total += PROCEDURAL * CPU_OPERATOR,
        Node::Cast(inner, _) => cost.total += CPU_OPERATOR * casts(inner, expr),
        _ => {}
    }
    expr.children().into_iter().for_each(|child| add_qual(child, major, cost));
}

fn is_literal(args: &[Typed]) -> bool {
    matches!(args, [Typed { node: Node::Const(_), .. }])
}

/// Functions that a cast calls: input and output where there is no cast function.
fn casts(from: &Typed, to: &Typed) -> f64 {
    const STRINGS: [u32; 4] = [18, 25, 1042, 1043];
    let is_string = |expr: &Typed| STRINGS.contains(&expr.ty.oid);
    if is_string(from) == is_string(to) { 1.0 } else { 2.0 }
}

/// `cost_seqscan`
pub fn seqscan(size: Size, clauses: &[Typed], major: u32) -> Cost {
    let qual = quals(clauses, major);
    Cost {
        startup: qual.startup,
        total: qual.startup + size.costs.seq * size.pages + (CPU_TUPLE + qual.total) * size.tuples,
    }
}

/// `index_pages_fetched`: how many blocks so many fetches of rows read (Mackert and Lohman).
fn pages_fetched(tuples: f64, pages: f64, index_pages: f64, size: Size) -> f64 {
    let table = pages.max(1.0);
    let total = (size.pages + index_pages).max(1.0);
    let cache = ceil((size.costs.cache * table / total).max(1.0));
    if table <= cache {
        let fetched = 2.0 * table * tuples / (2.0 * table + tuples);
        return if fetched >= table { table } else { ceil(fetched) };
    }
    let limit = 2.0 * table * cache / (2.0 * table - cache);
    ceil(if tuples <= limit {
        2.0 * table * tuples / (2.0 * table + tuples)
    } else {
        cache + (tuples - limit) * (table - cache) / table
    })
}

/// An index to be scanned with these conditions.
pub struct Btree<'a> {
    pub index: &'a IndexInfo,
    pub clauses: &'a [IndexClause],
    pub size: Size,
    pub selectivity: &'a Selectivity<'a>,
    /// how often it is scanned, each time for another row of an outer table
    pub loops: f64,
    pub major: u32,
}

impl Btree<'_> {
    /// By its access method (`amcostestimate`).
    pub fn index_cost(&self) -> IndexCost {
        match self.index.brin {
            Some(brin) => self.brin_cost(brin),
            None if self.index.gist.is_some() => self.gist_cost(),
            None => self.cost(),
        }
    }

    /// `btcostestimate`
    pub fn cost(&self) -> IndexCost {
        let (pages, tuples) = of_index(self.index, self.size);
        let bounds = self.bounds(pages);
        let mut cost = self.generic(&bounds, pages, tuples);
        if tuples > 1.0 {
            let descent = math::log2_ceil(tuples) * CPU_OPERATOR;
            cost.cost.startup += descent;
            cost.cost.total += bounds.scans * descent;
        }
        let descent = f64::from(self.index.height + 1) * PAGE_CPU * CPU_OPERATOR;
        cost.cost.startup += descent;
        cost.cost.total += bounds.scans * descent;
        cost
    }

    /// `gistcostestimate`
    fn gist_cost(&self) -> IndexCost {
        let (pages, tuples) = of_index(self.index, self.size);
        let quals: Vec<&Typed> = self.clauses.iter().map(|clause| &clause.expr).collect();
        let scans = self.arrays();
        let entries = rint(self.with_predicate(&quals) * self.size.tuples / scans);
        let mut cost = self.generic(&Bounds { scans, tuples: entries }, pages, tuples);
        let height = if pages > 1.0 { libm::log(pages) / libm::log(100.0) } else { 0.0 };
        let compared = if tuples > 1.0 { ceil(libm::log(tuples)) * CPU_OPERATOR } else { 0.0 };
        for descent in [compared, f64::from(height as u32 + 1) * PAGE_CPU * CPU_OPERATOR] {
            cost.cost.startup += descent;
            cost.cost.total += scans * descent;
        }
        cost
    }

    /// Share of the rows between the bounds that the leading keys set, and how many descents there are.
    fn bounds(&self, pages: f64) -> Bounds {
        let mut bounds = Bounds { scans: 1.0, tuples: 0.0 };
        let mut quals: Vec<&Typed> = Vec::new();
        let (mut column, mut equal, mut has_array, mut has_null) = (0_u16, false, false, false);
        for clause in self.clauses {
            if clause.qual.column != column {
                // the keys before must all be compared for equality; from 18 on a key may be skipped
                if equal {
                    column += 1;
                    equal = false;
                }
                while column < clause.qual.column && self.skips(column, pages, &mut bounds.scans) {
                    column += 1;
                }
                if column != clause.qual.column {
                    break;
                }
            }
            match clause.qual.op {
                KeyOp::Compare(BinaryOp::Eq) => equal = true,
                KeyOp::Any => {
                    (equal, has_array) = (true, true);
                    bounds.scans *= (clause.qual.value.len() as f64).max(1.0);
                }
                KeyOp::IsNull => (equal, has_null) = (true, true),
                KeyOp::Compare(_) | KeyOp::Rows(_) | KeyOp::IsNotNull | KeyOp::Gist(_) => {}
            }
            quals.push(&clause.expr);
        }
        let last = self.index.keys.len() as u16 - 1;
        if self.index.unique && column == last && equal && !has_array && !has_null {
            bounds.tuples = 1.0;
            return bounds;
        }
        let tuples = self.with_predicate(&quals) * self.size.tuples;
        if PgVersion::of_major(self.major).limits_array_searches() {
            bounds.scans = bounds.scans.min(ceil(pages * 0.333_333_3)).max(1.0);
        }
        bounds.tuples = rint(tuples / bounds.scans);
        bounds
    }

    /// May the scan step from one value of this key to the next (skip scan)? Not where the number of values is a guess.
    fn skips(&self, column: u16, pages: f64, scans: &mut f64) -> bool {
        let key = &self.index.keys[usize::from(column)].expr;
        let (distinct, is_guess) = self.selectivity.distinct(key);
        if !PgVersion::of_major(self.major).skips_columns() || is_guess {
            return false;
        }
        let bounds = self.clauses.iter().filter(|clause| clause.qual.column == column);
        let bounds: Vec<&Typed> = bounds.map(|clause| &clause.expr).collect();
        let share = self.selectivity.all(&bounds);
        if share < RANGE {
            return false;
        }
        // without a bound there is a first value to be found
        let values = if bounds.is_empty() { distinct + 1.0 } else { rint(distinct * share).max(1.0) };
        if pages < *scans * values {
            return false;
        }
        *scans *= values;
        true
    }

    /// Selectivity of conditions together with the index' predicate, as far as they do not imply it.
    fn with_predicate(&self, quals: &[&Typed]) -> f64 {
        let given: Vec<Typed> = quals.iter().map(|qual| (*qual).clone()).collect();
        let more =
            self.index.predicate.iter().filter(|part| !super::clause::implies(&given, core::slice::from_ref(part)));
        let all: Vec<&Typed> = more.chain(quals.iter().copied()).collect();
        self.selectivity.all(&all)
    }

    fn generic(&self, bounds: &Bounds, pages: f64, tuples: f64) -> IndexCost {
        let quals: Vec<&Typed> = self.clauses.iter().map(|clause| &clause.expr).collect();
        let selectivity = self.with_predicate(&quals);
        let scans = if PgVersion::of_major(self.major).limits_array_searches() { bounds.scans } else { self.arrays() };
        let entries = bounds.tuples.min(tuples).max(1.0);
        let index_pages = if pages > 1.0 && tuples > 1.0 { ceil(entries * pages / tuples) } else { 1.0 };
        let random = self.size.costs.random;
        let all_scans = scans * self.loops;
        let io = if all_scans > 1.0 {
            pages_fetched(index_pages * all_scans, pages, pages, self.size) * random / self.loops
        } else {
            index_pages * random
        };
        let args = self.clauses.iter().flat_map(|clause| &clause.qual.value);
        let once = quals_once(args, self.major);
        let operators = CPU_OPERATOR * self.clauses.len() as f64;
        let total = io + once + entries * scans * (CPU_INDEX_TUPLE + operators);
        IndexCost { cost: Cost { startup: once, total }, selectivity, pages }
    }

    fn arrays(&self) -> f64 {
        let arrays = self.clauses.iter().filter(|clause| clause.qual.op == KeyOp::Any);
        arrays.map(|clause| (clause.qual.value.len() as f64).max(1.0)).product()
    }

    /// `cost_index`: with the heap; `filter` is what remains to be checked.
    pub fn with_heap(&self, cost: IndexCost, filter: &[&Typed], index_only: bool) -> Cost {
        let size = self.size;
        let fetched = clamp(cost.selectivity * size.tuples);
        let share = if index_only { 1.0 - size.allvisfrac } else { 1.0 };
        let seen = |pages: f64| if index_only { ceil(pages * share) } else { pages };
        let PageCosts { seq, random, .. } = size.costs;
        let read = |tuples: f64| seen(pages_fetched(tuples * self.loops, size.pages, cost.pages, size));
        let most = read(fetched) * random / self.loops;
        let least = if self.loops > 1.0 {
            read(ceil(cost.selectivity * size.pages)) * random / self.loops
        } else {
            // rows in the order of the index: one random block, then the next ones
            let least = ceil(ceil(cost.selectivity * size.pages) * share);
            if least > 0.0 { random + (least - 1.0) * seq } else { 0.0 }
        };
        let io = most + self.correlation() * self.correlation() * (least - most);
        let qual = quals(filter.iter().copied(), self.major);
        let startup = cost.cost.startup + qual.startup;
        let run = cost.cost.total - cost.cost.startup + io + (CPU_TUPLE + qual.total) * fetched;
        Cost { startup, total: startup + run }
    }

    /// `btcost_correlation`: that of the first key, less where there are more keys. Of another order than that of
    /// statistics nothing is known.
    fn correlation(&self) -> f64 {
        let keys = self.index.keys.first().filter(|key| self.index.gist.is_none() && !key.pattern);
        let Some(first) = keys else { return 0.0 };
        let correlation = self.selectivity.correlation(&first.expr);
        if self.index.keys.len() > 1 { correlation * 0.75 } else { correlation }
    }
}

/// What evaluating the other operands costs once.
pub(super) fn quals_once<'a>(exprs: impl IntoIterator<Item = &'a Typed>, major: u32) -> f64 {
    let cost = quals(exprs, major);
    cost.startup + cost.total
}

/// What the conditions on the leading keys lead to: descents, and entries read after each.
struct Bounds {
    scans: f64,
    tuples: f64,
}

/// `cost_bitmap_heap_scan`; `bitmap` is what making the bitmap costs and its share of the rows; `repeated`: how often
/// it is scanned, where that is more than once, and the blocks of its indexes.
pub fn bitmap_heap(
    bitmap: (f64, f64),
    size: Size,
    clauses: &[Typed],
    repeated: Option<(f64, f64)>,
    major: u32,
) -> Cost {
    let (bitmap_cost, selectivity) = bitmap;
    let fetched = clamp(selectivity * size.tuples);
    let table = size.pages.max(1.0);
    let pages = match repeated {
        Some((loops, index_pages)) => pages_fetched(fetched * loops, size.pages, index_pages, size) / loops,
        None => 2.0 * table * fetched / (2.0 * table + fetched),
    };
    let pages = if pages >= table { table } else { ceil(pages) };
    let PageCosts { seq, random, .. } = size.costs;
    let page_cost = if pages >= 2.0 { random - (random - seq) * math::sqrt(pages / table) } else { random };
    let qual = quals(clauses, major);
    let startup = bitmap_cost + qual.startup;
    Cost { startup, total: startup + pages * page_cost + (CPU_TUPLE + qual.total) * fetched }
}

/// `LOG2`, whose constant has fewer digits than a float.
pub(super) fn depth_of(rows: f64) -> f64 {
    #[expect(clippy::approx_constant, reason = "these are the digits of LOG2")]
    const LN_2: f64 = 0.693147180559945;
    math::log2(rows) * core::f64::consts::LN_2 / LN_2
}

/// `cost_tuplesort`: of so many rows, of which `limit` are wanted.
fn tuplesort(rows: f64, limit: Option<f64>) -> (f64, f64) {
    const COMPARISON: f64 = 2.0 * CPU_OPERATOR;
    let rows = rows.max(2.0);
    let output = limit.filter(|limit| *limit > 0.0 && *limit < rows).unwrap_or(rows);
    // a heap holds what is wanted
    let depth = depth_of(if rows > 2.0 * output { 2.0 * output } else { rows });
    (COMPARISON * rows * depth, CPU_OPERATOR * rows)
}

/// `cost_sort` of rows that come at this cost; `limit` rows are wanted.
pub fn sort(input: Cost, rows: f64, limit: Option<f64>) -> Cost {
    let (startup, run) = tuplesort(rows, limit);
    let startup = input.total + startup;
    Cost { startup, total: startup + run }
}

/// The same of rows that may not fit into memory; `None` where their runs are not merged at once.
pub fn sort_of_width(input: Cost, rows: f64, width: u32, limit: Option<f64>, costs: PageCosts) -> Option<Cost> {
    const BLOCK: f64 = 8192.0;
    /// `tuplesort_merge_order` of work_mem
    const MERGED: f64 = 15.0;
    let input_bytes = byte_size(rows.max(2.0), width);
    let wanted = limit.filter(|limit| *limit > 0.0 && *limit < rows.max(2.0));
    if wanted.map_or(input_bytes, |wanted| byte_size(wanted, width)) > WORK_MEM {
        if input_bytes / WORK_MEM > MERGED {
            return None;
        }
        let (comparisons, run) = tuplesort(rows, None);
        let pages = 2.0 * ceil(input_bytes / BLOCK);
        let startup = input.total + comparisons + pages * (costs.seq * 0.75 + costs.random * 0.25);
        return Some(Cost { startup, total: startup + run });
    }
    if input_bytes > WORK_MEM
        && let Some(wanted) = wanted
    {
        let rows = rows.max(2.0);
        let startup = input.total + 2.0 * CPU_OPERATOR * rows * depth_of(2.0 * wanted);
        return Some(Cost { startup, total: startup + CPU_OPERATOR * rows });
    }
    Some(sort(input, rows, limit))
}

/// `cost_incremental_sort` of rows that come sorted by the first keys, of which there are so many values.
pub fn incremental_sort(input: Cost, rows: f64, groups: f64, limit: Option<f64>, major: u32) -> Cost {
    let rows = rows.max(2.0);
    let groups = groups.min(rows);
    let group_input = (input.total - input.startup) / groups;
    let pessimism = if PgVersion::of_major(major).costs_average_groups() { 1.0 } else { 1.5 };
    let (startup, run) = tuplesort(pessimism * rows / groups, limit);
    let total_startup = input.startup + startup + group_input;
    let more = (run + startup + group_input) * (groups - 1.0);
    let total = total_startup + run + more + CPU_TUPLE * rows + 2.0 * CPU_TUPLE * groups;
    Cost { startup: total_startup, total }
}
