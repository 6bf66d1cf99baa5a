//! What each way to join costs: `initial_cost_nestloop`, `final_cost_nestloop` and those of the other ways,
//! `cost_rescan`, `create_unique_path` (src/backend/optimizer/path/costsize.c, src/backend/optimizer/util/pathnode.c).

use super::model::Model;
use super::{Clause, Way, WayNode};
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE, sort_of_width};
use crate::sql::plan::join::{Inner, Matches, Sorted, merge_cost, nested_cost};
use crate::sql::plan::join_cost::buckets;
use crate::sql::plan::size::{WORK_MEM, byte_size, clamp, rint};
use crate::sql::plan::{Cost, JoinNode, Method};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;

/// `disable_cost`
pub(super) const DISABLED: f64 = 1.0e10;

/// What conditions cost a row or a pair.
pub(super) fn quals(clauses: &[&Clause], major: u32) -> f64 {
    crate::sql::plan::cost::quals(clauses.iter().map(|clause| &clause.expr), major).total
}

/// `cost_rescan`
fn again(way: &Way) -> Cost {
    match &way.node {
        WayNode::Material(_) => Cost { startup: 0.0, total: CPU_OPERATOR * way.rows },
        WayNode::Join(join) if join.node == JoinNode::Hash => {
            Cost { startup: 0.0, total: way.cost.total - way.cost.startup }
        }
        _ => way.cost,
    }
}

/// `create_material_path`
pub(super) fn material(way: &Way) -> Option<Cost> {
    let Cost { startup, total } = way.cost;
    (byte_size(way.rows, way.width) <= WORK_MEM)
        .then_some(Cost { startup, total: total + 2.0 * CPU_OPERATOR * way.rows })
}

/// `has_indexed_join_quals`
fn is_indexed(inner: &Way) -> bool {
    let WayNode::Scan(_, path, reads) = &inner.node else { return false };
    let taken = match &path.method {
        Method::Index(index) => &index.taken,
        Method::Bitmap(crate::sql::plan::Bitmap::Index(index)) => &index.taken,
        _ => return false,
    };
    !reads.is_empty() && (0..reads.len()).all(|n| taken.contains(&n))
}

impl Model {
    /// A nested loop; `asked`: what is asked of each pair.
    pub(super) fn nested(&self, outer: &Way, inner: &Way, matches: Option<Matches>, asked: &[&Clause]) -> Option<Cost> {
        let again = match &inner.node {
            WayNode::Memoize(below, slots) => self.memoized(below, slots, outer)?.1,
            _ => again(inner),
        };
        let side = Inner { cost: inner.cost, again, rows: inner.rows, indexed: is_indexed(inner) };
        Some(nested_cost((outer.cost, outer.rows), side, matches, quals(asked, self.input.major)))
    }

    /// `cost_memoize_rescan`: what it costs the first time, and each further one.
    pub(super) fn memoized(&self, below: &Way, slots: &[u16], outer: &Way) -> Option<(Cost, Cost)> {
        /// an entry, its key, and each row of it
        const ENTRY: f64 = 48.0;
        const ROW: f64 = 16.0;
        let (rows, calls, cost) = (below.rows, outer.rows, below.cost);
        let memory = if self.version().doubles_hash_memory() { 2.0 * WORK_MEM } else { WORK_MEM };
        let entries = (memory / (byte_size(rows, below.width) + ENTRY + ROW * rows)) as u64 as f64;
        let (distinct, is_guess) = self.values(slots, calls)?;
        let distinct = if is_guess { calls } else { distinct };
        let evicted = 1.0 - entries.min(distinct) / distinct;
        let hits = (calls - distinct) / calls * (entries / distinct.max(entries));
        let kept = CPU_OPERATOR + (CPU_TUPLE + CPU_OPERATOR * rows) * evicted + CPU_OPERATOR * rows;
        let total = cost.total * (1.0 - hits) + kept + CPU_TUPLE;
        let again = Cost { startup: cost.startup * (1.0 - hits) + CPU_TUPLE, total };
        Some((Cost { startup: cost.startup + CPU_TUPLE, total: cost.total + CPU_TUPLE }, again))
    }

    /// A hash join; `None`: the table does not fit into memory.
    pub(super) fn hash(
        &self,
        sides: [&Way; 2],
        (keys, others): (&[Clause], &[&Clause]),
        matches: Option<Matches>,
        is_anti: bool,
    ) -> Option<Cost> {
        /// a row's header in a hash table, and that of its group
        const HEADER: f64 = 32.0;
        let [outer, inner] = sides;
        if inner.rows * (HEADER + f64::from(inner.width.next_multiple_of(8)) + 16.0) > WORK_MEM {
            return None;
        }
        let keys_cost = quals(&keys.iter().collect::<Vec<_>>(), self.input.major);
        let hashing = CPU_OPERATOR * keys.len() as f64;
        let startup = outer.cost.startup + inner.cost.total + (hashing + CPU_TUPLE) * inner.rows;
        let mut run = outer.cost.total - outer.cost.startup + hashing * outer.rows;
        let count = f64::from(buckets(inner.rows));
        let share = match &inner.node {
            WayNode::Unique(..) | WayNode::Same(_) => 1.0 / count,
            _ => self.bucket_share(keys, inner.rels, count),
        };
        let found = match matches {
            Some(Matches { share: matched, count: partners }) => {
                let matched = rint(outer.rows * matched);
                let scanned = 2.0 / (partners + 1.0);
                run += keys_cost * matched * clamp(inner.rows * share * scanned) * 0.5;
                run += keys_cost * (outer.rows - matched) * clamp(inner.rows / count) * 0.05;
                if is_anti { outer.rows - matched } else { matched }
            }
            None => {
                run += keys_cost * outer.rows * clamp(inner.rows * share) * 0.5;
                self.pairs(outer.rows, inner.rows, keys)?
            }
        };
        let others = quals(others, self.input.major);
        run += (CPU_TUPLE + others) * found;
        Some(Cost { startup, total: startup + run })
    }

    /// A side of a merge join, sorted where it has not the order.
    pub(super) fn sorted(
        &self,
        way: &Way,
        part: crate::sql::plan::join::Part,
        sorts: bool,
    ) -> Option<(Sorted, Option<Cost>)> {
        let goes_back = match &way.node {
            WayNode::Scan(_, path, _) => matches!(path.method, Method::Index(_)),
            WayNode::Material(_) => true,
            _ => false,
        };
        if !sorts {
            return Some((Sorted { cost: way.cost, rows: way.rows, part, sorted: None, goes_back }, None));
        }
        let bytes = byte_size(way.rows, way.width);
        let pages = self.bases.first()?.table.page_costs;
        let mut cost = sort_of_width(way.cost, way.rows, way.width, None, pages)?;
        if !self.enabled.sort && !self.version().counts_disabled_nodes() {
            cost = Cost { startup: cost.startup + DISABLED, total: cost.total + DISABLED };
        }
        Some((Sorted { cost, rows: way.rows, part, sorted: Some(bytes), goes_back: true }, Some(cost)))
    }

    /// A merge join, and whether rows of the inner side are kept.
    pub(super) fn merge(
        &self,
        sides: (&Sorted, &Sorted),
        (keys, others): (&[Clause], &[&Clause]),
        skips: bool,
        is_unique_outer: bool,
    ) -> Option<(Cost, bool)> {
        let (outer, inner) = sides;
        let pairs = self.pairs(outer.rows, inner.rows, keys)?;
        let costs = [quals(&keys.iter().collect::<Vec<_>>(), self.input.major), quals(others, self.input.major)];
        Some(merge_cost((outer, inner), pairs, (skips, is_unique_outer), costs, (self.enabled.material, WORK_MEM)))
    }

    /// `create_unique_path`: rows of a relation without those that are equal in these columns; by hashing?
    pub(super) fn unique(&self, way: &Way, slots: &[u16]) -> Option<(Cost, f64, bool)> {
        const ENTRY: f64 = 64.0;
        let rows = self.values(slots, way.rows)?.0;
        let columns = slots.len() as f64;
        let pages = self.bases.first()?.table.page_costs;
        let mut sorted = sort_of_width(way.cost, way.rows, way.width, None, pages)?;
        if !self.enabled.sort && !self.version().counts_disabled_nodes() {
            sorted = Cost { startup: sorted.startup + DISABLED, total: sorted.total + DISABLED };
        }
        sorted.total += CPU_OPERATOR * way.rows * columns;
        if (f64::from(way.width) + ENTRY) * rows > WORK_MEM || !self.enabled.sort || !self.enabled.hashagg {
            return None;
        }
        let startup = way.cost.total + CPU_OPERATOR * columns * way.rows;
        let hashed = Cost { startup, total: startup + CPU_TUPLE * rows };
        Some(if hashed.total < sorted.total { (hashed, rows, true) } else { (sorted, rows, false) })
    }
}
