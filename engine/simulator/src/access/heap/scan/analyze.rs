//! ANALYZE's look at a page of its sample (`heapam_scan_analyze_next_tuple`, src/backend/access/heap/heapam_handler.c):
//! hint bits are set, nothing is pruned.

use crate::access::heap::heap_tuple;
use crate::access::heap::visibility::{HtsvResult, heap_tuple_get_update_xid, heap_tuple_satisfies_vacuum};
use crate::storage::{Buffer, Instance};
use alloc::vec::Vec;
use ffviz_format::page::{LpFlags, OffsetNumber, TransactionId};

/// A page of the sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnalyzedPage {
    /// row versions that may become part of the sample
    pub sampled: Vec<OffsetNumber>,
    /// rows that count as live
    pub live: u32,
    /// rows that count as dead
    pub dead: u32,
}

/// Classifies the row versions of a page.
pub fn heap_analyze_page(pg: &mut Instance, buf: Buffer, oldest_xmin: TransactionId) -> AnalyzedPage {
    pg.read_buffer(buf);
    let mut found = AnalyzedPage::default();
    for n in (1..=pg.buffers.page(buf).item_count()).map(OffsetNumber) {
        let Some(mut tuple) = heap_tuple(pg, buf, n) else {
            let is_dead = pg.buffers.page(buf).item_id(n).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
            found.dead += u32::from(is_dead);
            continue;
        };
        let is_live = match heap_tuple_satisfies_vacuum(pg, &mut tuple, buf, oldest_xmin) {
            HtsvResult::Live => true,
            HtsvResult::Dead | HtsvResult::RecentlyDead(_) => {
                found.dead += 1;
                false
            }
            HtsvResult::InsertInProgress => pg.is_current_xid(tuple.t_xmin),
            // what the own transaction deletes is gone once it commits; who else deletes may still fail
            HtsvResult::DeleteInProgress => {
                let is_own = pg.is_current_xid(heap_tuple_get_update_xid(pg, &tuple));
                found.dead += u32::from(is_own);
                !is_own
            }
        };
        if is_live {
            found.live += 1;
            found.sampled.push(n);
        }
    }
    found
}
