//! `heap_page_prune_execute`: the line pointers change, and the tuples that stay move together.

use super::state::{Candidate, PruneState};
use crate::storage::{Buffer, Buffers, ChangedItems, Instance};
use ffviz_format::page::{Compaction, ItemIdData, OffsetNumber};

/// Redirects, kills and frees line pointers, and closes the gaps.
pub fn heap_page_prune_execute(pg: &mut Instance, buf: Buffer, state: &PruneState) {
    let (major, with) = (pg.version.major(), &mut pg.compaction);
    let is_known = pg.version.compacts_in_order() && find_changed(&pg.buffers, with, state);
    let page = pg.buffers.page_mut(buf);
    let redirected = state.redirected.iter().map(|(from, to)| (*from, ItemIdData::redirect_to(*to)));
    let dead = state.now_dead.iter().map(|n| (*n, ItemIdData::DEAD));
    let unused = state.now_unused.iter().map(|n| (*n, ItemIdData::UNUSED));
    let new = redirected.chain(dead).chain(unused);
    if is_known {
        new.for_each(|(n, lp)| page.set_item_id(n, lp));
        page.repair_changed(with, major);
    } else {
        page.read_item_ids(&mut with.lps);
        for (n, lp) in new {
            if let Some(place) = with.lps.get_mut(place_of(n)) {
                *place = lp;
            }
        }
        if page.repair_with(with, major).is_err() {
            // a damaged page stays as it is, which a server would refuse to prune
            return;
        }
    }
    leave_in_order(pg, buf, state);
}

fn place_of(n: OffsetNumber) -> usize {
    usize::from(n.0).wrapping_sub(1)
}

/// Finds the line pointers that got a tuple since the last pruning or lose one now. Are they known?
fn find_changed(buffers: &Buffers, with: &mut Compaction, state: &PruneState) -> bool {
    let Some(mut changed) = buffers.changed_items(state.buf) else { return false };
    [&state.now_unused[..], &state.now_dead].into_iter().flatten().for_each(|n| changed.add(*n));
    state.redirected.iter().for_each(|(from, _)| changed.add(*from));
    let words = buffers.page(state.buf).line_pointer_words();
    let is_stored = |at: &usize| words.get(*at).is_some_and(|word| ItemIdData::from(*word).is_stored());
    with.changed.clear();
    with.changed.extend(changed.iter().map(place_of).filter(is_stored));
    true
}

/// The next pruning has to look at the row versions that may still go, and at no others unless they change.
fn leave_in_order(pg: &mut Instance, buf: Buffer, state: &PruneState) {
    let may_go = |candidate: &&Candidate| candidate.tuple.is_some() && !candidate.is_live() && state.stays(candidate.n);
    let left = ChangedItems::of(state.candidates.iter().filter(may_go).map(|candidate| candidate.n));
    pg.buffers.in_order_but(buf, left);
}
