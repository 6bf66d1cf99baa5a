//! What a scan of a BRIN index costs (`brincostestimate`, src/backend/utils/adt/selfuncs.c): how many ranges of blocks
//! are expected to be left depends on how much the order of rows on disk is that of their values.

use super::cost::{Btree, CPU_OPERATOR, Cost, IndexCost, quals_once};
use super::size::ceil;
use crate::sql::catalog::BrinStats;
use crate::sql::expr::Typed;
use alloc::vec::Vec;

impl Btree<'_> {
    /// Of a BRIN index, which is read as a whole.
    pub(super) fn brin_cost(&self, brin: BrinStats) -> IndexCost {
        /// a correlation that counts as none
        const NONE: f64 = 1.0e-10;
        let (pages_per_range, revmap) = (f64::from(brin.pages_per_range), f64::from(brin.revmap_pages));
        let (pages, costs) = (f64::from(self.index.blocks), self.size.costs);
        let ranges = ceil(self.size.pages / pages_per_range).max(1.0);
        let keys = self.clauses.iter().filter_map(|clause| self.index.keys.get(usize::from(clause.qual.column)));
        let correlation = keys.fold(0.0_f64, |most, key| {
            let correlation = self.selectivity.correlation(&key.expr);
            most.max(if correlation < 0.0 { -correlation } else { correlation })
        });
        let quals: Vec<&Typed> = self.clauses.iter().map(|clause| &clause.expr).collect();
        let least = ceil(ranges * self.selectivity.all(&quals));
        let touched = if correlation < NONE { ranges } else { (least / correlation).min(ranges) };
        let args = self.clauses.iter().flat_map(|clause| &clause.qual.value);
        let startup = costs.seq * revmap * self.loops + quals_once(args, self.major);
        let total =
            startup + costs.random * (pages - revmap) * self.loops + 0.1 * CPU_OPERATOR * touched * pages_per_range;
        IndexCost { cost: Cost { startup, total }, selectivity: (touched / ranges).clamp(0.0, 1.0), pages }
    }
}
