//! Every way to scan a table and which one is taken: `add_path` (src/backend/optimizer/util/pathnode.c),
//! `create_index_paths`, `choose_bitmap_and`, `generate_bitmap_or_paths` (src/backend/optimizer/path/indxpath.c).

use super::clause::{IndexClause, implies, match_index, part_implies};
use super::cost::{self, Btree, CPU_OPERATOR, Cost, IndexCost};
use super::gist::match_gist;
use super::selectivity::Selectivity;
use super::size::{Size, clamp, of_table};
use super::tid::{tid_range, tid_range_cost, tid_scan, tid_scan_cost};
use super::{Bitmap, IndexScan, KeyOp, Method};
use crate::sql::catalog::{EnabledScans, IndexInfo, TableInfo};
use crate::sql::expr::{Node, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::input::Context as Input;

/// Costs that differ by less than 1 % count as equal (`STD_FUZZ_FACTOR`).
pub(super) const FUZZ: f64 = 1.01;
/// Of two that count as equal, the new one is taken where it is cheaper by this much.
pub const TIE: f64 = 1.000_000_000_1;
/// `disable_cost`, until 17
const DISABLED: f64 = 1.0e10;

/// What is to be scanned.
pub struct Rel<'a> {
    pub table: &'a TableInfo,
    /// conditions, all of which must hold
    pub clauses: &'a [Typed],
    /// columns that are needed; `None`: the row's place too, so that no index alone will do
    pub needed: Option<Vec<u16>>,
    /// will the rows be changed or locked? Then a condition is checked again though a partial index implies it
    pub rechecks: bool,
    /// wanted order; empty: none
    pub order: &'a [SortKey],
    /// is it likely that not all rows are wanted?
    pub startup_counts: bool,
    pub enabled: EnabledScans,
    pub input: Input,
    /// is it scanned for each row of another table?
    pub looked_up: Option<LookedUp>,
}

/// A scan for each row of another table (a parameterized path).
#[derive(Debug, Clone, Copy)]
pub struct LookedUp {
    /// how many of the first conditions read that row
    pub clauses: usize,
    /// how many rows that are
    pub loops: f64,
}

/// A way to scan.
#[derive(Debug, Clone)]
pub struct Path {
    pub method: Method,
    pub cost: Cost,
    /// how many of the wanted keys its order has, from the first
    pub ordered: usize,
    /// is it a way that a setting forbids? From 18 on that counts before the cost
    pub disabled: u32,
    pub rows: f64,
}

/// An index path that may become part of a bitmap.
#[derive(Clone)]
struct BitmapPath {
    bitmap: Bitmap,
    /// making it, and its share of the rows
    cost: f64,
    selectivity: f64,
    /// the conditions that it takes over, and those that are in its index' predicate (`classify_index_clause_usage`)
    clauses: Vec<usize>,
    /// that predicate
    predicate: Vec<Typed>,
}

/// How two costs compare.
#[derive(PartialEq)]
pub(super) enum Costs {
    Equal,
    Better,
    Worse,
    Different,
}

/// All ways that are worth something, cheapest first.
pub fn paths(rel: &Rel<'_>) -> Vec<Path> {
    let size = of_table(rel.table, rel.input.major);
    let selectivity = Selectivity::new(rel.table, size.tuples, rel.input);
    let all: Vec<&Typed> = rel.clauses.iter().collect();
    let rows = clamp(size.tuples * selectivity.all(&all));
    Search { rel, size, selectivity, rows, kept: Vec::new() }.run()
}

struct Search<'a> {
    rel: &'a Rel<'a>,
    size: Size,
    selectivity: Selectivity<'a>,
    rows: f64,
    kept: Vec<Path>,
}

impl Search<'_> {
    fn run(mut self) -> Vec<Path> {
        let rel = self.rel;
        if let Some(sample) = rel.table.sample {
            self.add(Method::Sample(sample), sample.cost(self.size, rel.clauses, rel.input.major), 0, true);
            return self.kept;
        }
        if rel.looked_up.is_none() {
            self.add(Method::Seq, cost::seqscan(self.size, rel.clauses, rel.input.major), 0, rel.enabled.seqscan);
        }
        let mut bitmaps = Vec::new();
        // PostgreSQL looks at the newest index first
        for index in rel.table.newest_first() {
            if implies(rel.clauses, &index.predicate) {
                self.index(index, &mut bitmaps);
            }
        }
        bitmaps.extend(self.ors());
        if let Some(best) = self.bitmap_and(bitmaps).filter(|best| self.reads_outer(&best.clauses)) {
            let cost = self.bitmap_cost(&best);
            self.add(Method::Bitmap(best.bitmap), cost, 0, rel.enabled.bitmapscan);
        }
        if rel.looked_up.is_none() {
            self.tids();
        }
        self.kept
    }

    /// Is among these conditions one that reads the row of the other table, if there is such a row?
    fn reads_outer(&self, clauses: &[usize]) -> bool {
        self.rel.looked_up.is_none_or(|looked_up| clauses.iter().any(|clause| *clause < looked_up.clauses))
    }

    /// `create_tidscan_paths`, from 18 on none where they are switched off
    fn tids(&mut self) {
        let Rel { table, clauses, input, enabled, .. } = *self.rel;
        if input.version().leaves_tid_scans_out() && !enabled.tidscan {
            return;
        }
        if let Some(scan) = tid_scan(table, clauses) {
            let cost = tid_scan_cost(&scan, clauses, self.size, input.major);
            self.add(Method::Tid(scan), cost, 0, enabled.tidscan);
        }
        if let Some(range) = tid_range(table, clauses).filter(|_| input.version().has_tid_range_scans()) {
            let cost = tid_range_cost(&range, clauses, self.size, &self.selectivity, input.major);
            self.add(Method::TidRange(range), cost, 0, enabled.tidscan);
        }
    }

    /// `build_index_paths`
    fn index(&mut self, index: &IndexInfo, bitmaps: &mut Vec<BitmapPath>) {
        let open = self.open(index);
        let mut clauses = matching(index, self.rel.clauses, self.rel.input.major);
        clauses.retain(|clause| open.contains(&clause.clause));
        if index.gist.is_some() || index.brin.is_some() {
            return self.unordered(index, clauses, &open, bitmaps);
        }
        let is_lower_array = |clause: &IndexClause| clause.qual.op == KeyOp::Any && clause.qual.column > 0;
        if !self.rel.input.version().keeps_order_with_arrays() && clauses.iter().any(is_lower_array) {
            let without = clauses.iter().filter(|clause| !is_lower_array(clause)).cloned().collect();
            self.index_with(index, without, &open, true, bitmaps);
            self.index_with(index, clauses, &open, false, bitmaps);
        } else {
            self.index_with(index, clauses, &open, true, bitmaps);
        }
    }

    /// A GiST or BRIN index, which gives no order; the values of = ANY are looked for one by one, and only for a
    /// bitmap.
    fn unordered(
        &mut self,
        index: &IndexInfo,
        clauses: Vec<IndexClause>,
        open: &[usize],
        bitmaps: &mut Vec<BitmapPath>,
    ) {
        let (arrays, others): (Vec<_>, Vec<_>) = clauses.iter().cloned().partition(|it| it.qual.op == KeyOp::Any);
        self.index_with(index, others, open, false, bitmaps);
        if !arrays.is_empty() {
            let kept = self.kept.clone();
            self.index_with(index, clauses, open, false, bitmaps);
            self.kept = kept;
        }
    }

    /// `indrestrictinfo`: the conditions without those that a partial index implies.
    fn open(&self, index: &IndexInfo) -> Vec<usize> {
        let Rel { clauses, rechecks, .. } = *self.rel;
        let implied = |clause: &Typed| !rechecks && index.predicate.iter().any(|part| part_implies(part, clause));
        (0..clauses.len()).filter(|n| !implied(&clauses[*n])).collect()
    }

    /// With these of the conditions that are open.
    fn index_with(
        &mut self,
        index: &IndexInfo,
        clauses: Vec<IndexClause>,
        open: &[usize],
        sorts: bool,
        bitmaps: &mut Vec<BitmapPath>,
    ) {
        let rel = self.rel;
        let forward = if sorts { presorted(index, rel, false) } else { 0 };
        let backward = if sorts { presorted(index, rel, true) } else { 0 };
        let is_brin = index.brin.is_some();
        let only = rel.enabled.indexonlyscan && !is_brin && self.covers(index, open);
        let selects = !clauses.is_empty() || only || !index.predicate.is_empty();
        if !selects && forward == 0 && backward == 0 {
            return;
        }
        let btree = self.btree(index, &clauses);
        let index_cost = btree.index_cost();
        let filter: Vec<&Typed> = open
            .iter()
            .filter(|n| !clauses.iter().any(|clause| clause.clause == **n && !clause.lossy))
            .map(|n| &rel.clauses[*n])
            .collect();
        let cost = btree.with_heap(index_cost, &filter, only);
        let scan = |backward| IndexScan {
            index: index.oid,
            name: index.name.clone(),
            keys: clauses.iter().map(|clause| clause.qual.clone()).collect(),
            taken: clauses.iter().filter(|clause| !clause.lossy).map(|clause| clause.clause).collect(),
            conditions: clauses
                .iter()
                .map(|clause| if clause.lossy { clause.expr.clone() } else { rel.clauses[clause.clause].clone() })
                .collect(),
            backward,
            only,
            alone: index_cost,
        };
        if selects || forward > 0 {
            let used: Vec<usize> = clauses.iter().map(|clause| clause.clause).collect();
            if self.reads_outer(&used) && !is_brin {
                self.add(Method::Index(scan(false)), cost, forward, rel.enabled.indexscan);
            }
            if forward == 0 || index_cost.selectivity < 1.0 {
                let one = IndexScan { only: false, ..scan(false) };
                bitmaps.push(self.bitmap(index, one, index_cost, &clauses));
            }
        }
        if backward > 0 {
            self.add(Method::Index(scan(true)), cost, backward, rel.enabled.indexscan);
        }
    }

    const fn btree<'b>(&'b self, index: &'b IndexInfo, clauses: &'b [IndexClause]) -> Btree<'b> {
        let loops = match self.rel.looked_up {
            Some(looked_up) => looked_up.loops,
            None => 1.0,
        };
        Btree { index, clauses, size: self.size, selectivity: &self.selectivity, loops, major: self.rel.input.major }
    }

    fn bitmap(&self, index: &IndexInfo, scan: IndexScan, cost: IndexCost, clauses: &[IndexClause]) -> BitmapPath {
        // what each row costs to be put into the bitmap
        let insertions = 0.1 * CPU_OPERATOR * self.rows;
        let mut used: Vec<usize> = clauses.iter().map(|clause| clause.clause).collect();
        let is_predicate = |n: &usize| index.predicate.contains(&self.rel.clauses[*n]);
        used.extend((0..self.rel.clauses.len()).filter(is_predicate));
        used.sort_unstable();
        used.dedup();
        BitmapPath {
            bitmap: Bitmap::Index(scan),
            cost: cost.cost.total + insertions,
            selectivity: cost.selectivity,
            clauses: used,
            predicate: index.predicate.to_vec(),
        }
    }

    /// `check_index_only`: has the index all columns that are needed, also by the conditions that are still open?
    fn covers(&self, index: &IndexInfo, open: &[usize]) -> bool {
        let Some(needed) = &self.rel.needed else { return false };
        let mut slots = needed.clone();
        open.iter().for_each(|n| self.rel.clauses[*n].slots(&mut slots));
        let has = |slot: &u16| {
            index.include.contains(slot) || index.keys.iter().any(|key| key.expr.node == Node::Slot(*slot))
        };
        slots.iter().all(has)
    }

    /// A bitmap for each OR whose every arm an index can serve.
    fn ors(&self) -> Vec<BitmapPath> {
        let each = self.rel.clauses.iter().enumerate();
        each.filter_map(|(number, clause)| match &clause.node {
            Node::Or(arms) => self.or(arms, number),
            _ => None,
        })
        .collect()
    }

    fn or(&self, arms: &[Typed], number: usize) -> Option<BitmapPath> {
        let parts = arms.iter().map(|arm| self.arm(arm)).collect::<Option<Vec<_>>>()?;
        let cost = parts.iter().enumerate().map(|(n, part)| {
            let is_index = matches!(part.bitmap, Bitmap::Index(_));
            part.cost + if n > 0 && !is_index { 100.0 * CPU_OPERATOR } else { 0.0 }
        });
        Some(BitmapPath {
            cost: cost.sum(),
            selectivity: parts.iter().map(|part| part.selectivity).sum::<f64>().min(1.0),
            clauses: alloc::vec![number],
            predicate: Vec::new(),
            bitmap: Bitmap::Or(parts.into_iter().map(|part| part.bitmap).collect()),
        })
    }

    /// The best bitmap for one arm of an OR, which the other conditions may help (`build_paths_for_OR`).
    fn arm(&self, arm: &Typed) -> Option<BitmapPath> {
        let own = if let Node::And(parts) = &arm.node { parts.clone() } else { alloc::vec![arm.clone()] };
        let own_count = own.len();
        let clauses: Vec<Typed> = own.into_iter().chain(self.rel.clauses.iter().cloned()).collect();
        let rel = Rel { clauses: &clauses, needed: None, order: &[], ..*self.rel };
        let search = Search {
            rel: &rel,
            size: self.size,
            selectivity: Selectivity::new(rel.table, self.size.tuples, rel.input),
            rows: self.rows,
            kept: Vec::new(),
        };
        let mut found = Vec::new();
        for index in rel.table.newest_first() {
            let matched = matching(index, &clauses, rel.input.major);
            let helps = matched.iter().any(|clause| clause.clause < own_count);
            if helps && implies(&clauses, &index.predicate) {
                let btree = search.btree(index, &matched);
                let cost = btree.index_cost();
                let scan = IndexScan {
                    index: index.oid,
                    name: index.name.clone(),
                    keys: matched.iter().map(|clause| clause.qual.clone()).collect(),
                    taken: Vec::new(),
                    conditions: matched.iter().map(|clause| clause.expr.clone()).collect(),
                    backward: false,
                    only: false,
                    alone: cost,
                };
                found.push(search.bitmap(index, scan, cost, &matched));
            }
        }
        search.bitmap_and(found)
    }

    /// `choose_bitmap_and`: one bitmap, or several whose common rows are cheaper to visit.
    fn bitmap_and(&self, mut paths: Vec<BitmapPath>) -> Option<BitmapPath> {
        if paths.len() < 2 {
            return paths.pop();
        }
        let mut distinct: Vec<BitmapPath> = Vec::new();
        for path in paths {
            match distinct.iter_mut().find(|known| known.clauses == path.clauses) {
                Some(known) if path.cost < known.cost => *known = path,
                Some(_) => {}
                None => distinct.push(path),
            }
        }
        distinct.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.selectivity.total_cmp(&b.selectivity)));
        let mut best: Option<(f64, BitmapPath)> = None;
        for first in 0..distinct.len() {
            let mut joined = distinct[first].clone();
            let mut cost = self.heap_cost(&joined);
            for next in &distinct[first + 1..] {
                let known = || joined.clauses.iter().map(|n| &self.rel.clauses[*n]).chain(&joined.predicate);
                let is_known = |part: &Typed| known().any(|clause| part_implies(clause, part));
                if next.clauses.iter().any(|clause| joined.clauses.contains(clause))
                    || next.predicate.iter().any(is_known)
                {
                    continue;
                }
                let both = and(&joined, next);
                let cost_of_both = self.heap_cost(&both);
                if cost_of_both < cost {
                    (joined, cost) = (both, cost_of_both);
                }
            }
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, joined));
            }
        }
        best.map(|(_, path)| path)
    }

    fn heap_cost(&self, path: &BitmapPath) -> f64 {
        self.bitmap_cost(path).total
    }

    fn bitmap_cost(&self, path: &BitmapPath) -> Cost {
        let loops = self.rel.looked_up.map(|looked_up| looked_up.loops).filter(|loops| *loops > 1.0);
        let repeated = loops.map(|loops| (loops, path.bitmap.pages()));
        let (bitmap, major) = ((path.cost, path.selectivity), self.rel.input.major);
        cost::bitmap_heap(bitmap, self.size, self.rel.clauses, repeated, major)
    }

    fn add(&mut self, method: Method, mut cost: Cost, ordered: usize, allowed: bool) {
        let counts = self.rel.input.version().counts_disabled_nodes();
        if !allowed && !counts {
            cost.startup += DISABLED;
            cost.total += DISABLED;
        }
        let disabled = u32::from(!allowed && counts);
        add_path(&mut self.kept, Path { method, cost, ordered, disabled, rows: self.rows }, self.rel.startup_counts);
    }
}

impl Bitmap {
    /// `get_indexpath_pages`
    fn pages(&self) -> f64 {
        match self {
            Self::Index(scan) => scan.alone.pages,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::pages).sum(),
        }
    }
}

/// The conditions that the index takes over.
fn matching(index: &IndexInfo, clauses: &[Typed], major: u32) -> Vec<IndexClause> {
    match &index.gist {
        Some(classes) => match_gist(index, classes, clauses),
        None => match_index(index, clauses, major),
    }
}

fn and(a: &BitmapPath, b: &BitmapPath) -> BitmapPath {
    let mut parts = match &a.bitmap {
        Bitmap::And(parts) => parts.clone(),
        other => alloc::vec![other.clone()],
    };
    parts.push(b.bitmap.clone());
    BitmapPath {
        bitmap: Bitmap::And(parts),
        cost: a.cost + b.cost + 100.0 * CPU_OPERATOR,
        selectivity: a.selectivity * b.selectivity,
        clauses: a.clauses.iter().chain(&b.clauses).copied().collect(),
        predicate: a.predicate.iter().chain(&b.predicate).cloned().collect(),
    }
}

/// How many keys of the wanted order the index gives, read in that direction.
fn presorted(index: &IndexInfo, rel: &Rel<'_>, backward: bool) -> usize {
    let is_fixed = |expr: &Typed| rel.clauses.iter().any(|clause| fixes(clause, expr));
    let keys = index.keys.iter().filter(|key| !is_fixed(&key.expr));
    let pairs = keys.zip(rel.order);
    pairs
        .take_while(|(key, wanted)| {
            key.expr.node == wanted.expr.node
                && !key.pattern
                && (key.descending != backward) == wanted.descending
                && (key.nulls_first != backward) == wanted.nulls_first
        })
        .count()
}

/// Does the condition leave one value of the expression only?
pub fn fixes(clause: &Typed, expr: &Typed) -> bool {
    let Node::Binary(crate::sql::ast::BinaryOp::Eq, operands) = &clause.node else { return false };
    operands.0.node == expr.node && operands.1.is_pseudo_constant()
        || operands.1.node == expr.node && operands.0.is_pseudo_constant()
}

/// What is compared of two paths.
pub trait Kept {
    /// nodes that are forbidden, and what it costs
    fn price(&self) -> (u32, Cost);

    /// Which order of rows serves where the other does; `None`: neither.
    fn order(&self, other: &Self) -> Option<Ordering>;
}

impl Kept for Path {
    fn price(&self) -> (u32, Cost) {
        (self.disabled, self.cost)
    }

    fn order(&self, other: &Self) -> Option<Ordering> {
        Some(self.ordered.cmp(&other.ordered))
    }
}

/// `compare_path_costs_fuzzily`; does it count of either how soon the first row comes?
pub(super) fn compare(a: (u32, Cost), b: (u32, Cost), fuzz: f64, startup_counts: (bool, bool)) -> Costs {
    match a.0.cmp(&b.0) {
        Ordering::Less => return Costs::Better,
        Ordering::Greater => return Costs::Worse,
        Ordering::Equal => {}
    }
    let (x, y) = (a.1, b.1);
    if x.total > y.total * fuzz {
        return if startup_counts.0 && y.startup > x.startup * fuzz { Costs::Different } else { Costs::Worse };
    }
    if y.total > x.total * fuzz {
        return if startup_counts.1 && x.startup > y.startup * fuzz { Costs::Different } else { Costs::Better };
    }
    if x.startup > y.startup * fuzz {
        Costs::Worse
    } else if y.startup > x.startup * fuzz {
        Costs::Better
    } else {
        Costs::Equal
    }
}

/// `add_path`: keeps a path unless another is as good in all; drops those that it betters.
pub fn add_path<T: Kept>(kept: &mut Vec<T>, new: T, startup_counts: bool) {
    let mut accepted = true;
    let startup_counts = (startup_counts, startup_counts);
    kept.retain(|old| {
        let order = new.order(old);
        let Some(order) = order.filter(|_| accepted) else { return true };
        let (drops_old, drops_new) = match compare(new.price(), old.price(), FUZZ, startup_counts) {
            Costs::Better => (order.is_ge(), false),
            Costs::Worse => (false, order.is_le()),
            Costs::Different => (false, false),
            Costs::Equal if order.is_ne() => (order.is_gt(), order.is_lt()),
            Costs::Equal => {
                let better = compare(new.price(), old.price(), TIE, startup_counts) == Costs::Better;
                (better, !better)
            }
        };
        accepted &= !drops_new;
        !drops_old
    });
    if accepted {
        let at = kept.iter().rposition(|old| !is_cheaper(&new, old)).map_or(0, |last| last + 1);
        kept.insert(at, new);
    }
}

fn is_cheaper<T: Kept>(a: &T, b: &T) -> bool {
    let ((disabled, cost), (other_disabled, other)) = (a.price(), b.price());
    (disabled, cost.total) < (other_disabled, other.total)
}
