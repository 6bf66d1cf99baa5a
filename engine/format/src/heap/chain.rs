//! HOT chains, walked as `heap_get_root_tuples` does (src/backend/access/heap/pruneheap.c).
//!
//! ```text
//! index entry ──▶ root: LP_REDIRECT ──▶ tuple, HEAP_HOT_UPDATED ──t_ctid──▶ tuple, HEAP_ONLY_TUPLE
//!             or  root: tuple, HEAP_HOT_UPDATED ────────────────────────▶ …
//! ```

use super::{HeapItem, HeapTuple};
use crate::page::{Anomaly, LpFlags, OffsetNumber, TransactionId};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Versions of one row linked on one page: what an index entry for the root reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotChain {
    /// the line pointer that indexes point to: a tuple or a redirect
    pub root: OffsetNumber,
    /// all members in the order of the links, root first
    pub members: Vec<OffsetNumber>,
}

/// The step from one member to the next.
struct Link {
    next: OffsetNumber,
    /// the xid that made the link; the next version must have been made by it
    prior_xmax: Option<TransactionId>,
}

/// All chains of more than one member.
pub(super) fn walk(items: &[HeapItem], anomalies: &mut Vec<Anomaly>) -> Vec<HotChain> {
    // the root whose chain a line pointer is in; 0 for none
    let mut roots = vec![0; items.len()];
    let mut chains = Vec::new();
    for item in items {
        let Some(first) = root_link(item) else { continue };
        let members = follow(items, item.offset, first, &mut roots, anomalies);
        if members.len() > 1 {
            chains.push(HotChain { root: item.offset, members });
        }
    }
    chains
}

/// A redirect leads to a heap-only tuple, and to nothing else: what amcheck says of others (`verify_heapam`,
/// contrib/amcheck/verify_heapam.c).
pub(super) fn check_redirects(items: &[HeapItem], anomalies: &mut Vec<Anomaly>) {
    for item in items {
        let n = item.offset;
        let Some(to) = item.lp.redirect() else { continue };
        // one that leads beyond the line pointers was told when it was read
        let Some(target) = usize::from(to.0).checked_sub(1).and_then(|at| items.get(at)) else { continue };
        let what = match target.lp.lp_flags() {
            _ if to == n => "itself",
            LpFlags::Redirect => "another LP_REDIRECT",
            LpFlags::Unused => "an LP_UNUSED",
            LpFlags::Dead => "an LP_DEAD",
            LpFlags::Normal if target.tuple.as_ref().is_some_and(|tuple| !tuple.is_heap_only()) => {
                "a tuple that is not heap-only"
            }
            LpFlags::Normal => continue,
        };
        let to = if to == n { String::new() } else { format!(" {to}") };
        anomalies.push(Anomaly::new(n.bytes(), format!("line pointer {n}: LP_REDIRECT to {what}{to}")));
    }
}

/// Where the chain leads from its root; `None` when the line pointer is no root of a chain.
fn root_link(item: &HeapItem) -> Option<Link> {
    match (&item.tuple, item.lp.lp_flags()) {
        (_, LpFlags::Redirect) => Some(Link { next: item.lp.redirect()?, prior_xmax: None }),
        (Some(tuple), _) if !tuple.is_heap_only() => hot_link(tuple),
        _ => None,
    }
}

/// Where a tuple's `t_ctid` leads within its HOT chain.
fn hot_link(tuple: &HeapTuple) -> Option<Link> {
    tuple.is_hot_updated().then(|| Link { next: tuple.t_ctid.offset, prior_xmax: tuple.update_xid() })
}

fn follow(
    items: &[HeapItem],
    root: OffsetNumber,
    first: Link,
    roots: &mut [u16],
    anomalies: &mut Vec<Anomaly>,
) -> Vec<OffsetNumber> {
    let mut members = Vec::from([root]);
    let mut link = Some(first);
    while let Some(Link { next, prior_xmax }) = link {
        let at = usize::from(next.0).wrapping_sub(1);
        let Some((tuple, owner)) = items.get(at).and_then(|i| i.tuple.as_ref()).zip(roots.get_mut(at)) else { break };
        // the place was used again for another row: the chain ended before
        if prior_xmax.map_or(members.len() > 1 && !tuple.is_heap_only(), |xmax| xmax != tuple.t_xmin) {
            break;
        }
        if *owner != 0 || next == root {
            let owner = if *owner == 0 { root.0 } else { *owner };
            let text = format!("HOT chain of line pointer {root} reaches {next}, which is in that of {owner} already");
            anomalies.push(Anomaly::new(next.bytes(), text));
            break;
        }
        *owner = root.0;
        members.push(next);
        link = hot_link(tuple);
    }
    members
}
