//! `heap_page_prune_execute`: the line pointers change, and the tuples that stay move together.

use super::state::PruneState;
use crate::page::ItemIdData;
use crate::storage::{Buffer, Instance};

/// Redirects, kills and frees line pointers, and closes the gaps.
pub fn heap_page_prune_execute(pg: &mut Instance, buf: Buffer, state: &PruneState) {
    let major = pg.version.major();
    let page = pg.buffers.page_mut(buf);
    for (from, to) in &state.redirected {
        page.set_item_id(*from, ItemIdData::redirect_to(*to));
    }
    for n in &state.now_dead {
        page.set_item_id(*n, ItemIdData::DEAD);
    }
    for n in &state.now_unused {
        page.set_item_id(*n, ItemIdData::UNUSED);
    }
    // a damaged page stays as it is, which a server would refuse to prune
    let _ = page.repair_fragmentation(major);
}
