//! `heap_page_prune_execute`: the line pointers change, and the tuples that stay move together.

use super::state::PruneState;
use crate::page::{ItemIdData, OffsetNumber};
use crate::storage::{Buffer, Instance};

/// Redirects, kills and frees line pointers, and closes the gaps.
pub fn heap_page_prune_execute(pg: &mut Instance, buf: Buffer, state: &PruneState) {
    let major = pg.version.major();
    let (page, with) = (pg.buffers.page_mut(buf), &mut pg.compaction);
    page.read_item_ids(&mut with.lps);
    let mut set = |n: OffsetNumber, lp: ItemIdData| {
        if let Some(place) = with.lps.get_mut(usize::from(n.0).wrapping_sub(1)) {
            *place = lp;
        }
    };
    state.redirected.iter().for_each(|(from, to)| set(*from, ItemIdData::redirect_to(*to)));
    state.now_dead.iter().for_each(|n| set(*n, ItemIdData::DEAD));
    state.now_unused.iter().for_each(|n| set(*n, ItemIdData::UNUSED));
    // a damaged page stays as it is, which a server would refuse to prune
    let _ = page.repair_with(with, major);
}
