//! What differs between two states: pages and relations, told apart from what merely became known or was forgotten.
//!
//! ```text
//! page in    before  after   there before (block < length)   it is
//!              ●       ●                  ·                   changed, if a byte differs
//!              ·       ●                 yes                  learned: read for the first time, not a change
//!              ·       ●                  no                  added: the fork grew, or the relation is new
//!              ●       ·                  ·                   removed or forgotten, by the same rule on the later state
//! ```

use super::{PageChange, RelationChange};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::page::Page;
use ffviz_format::state::{PageId, Relation, State};

/// The difference of two states, each list in order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Diff {
    /// pages that were changed, added or removed
    pub pages: Vec<PageChange>,
    /// pages that became known (`before` is `None`) or are no longer known (`after` is `None`) without having changed
    pub known: Vec<PageChange>,
    /// catalog facts that changed
    pub relations: Vec<RelationChange>,
}

/// Compares two states. Pages that share memory cost nothing.
pub(super) fn diff(before: &State, after: &State) -> Diff {
    let mut found = Diff { relations: relation_changes(before, after), ..Diff::default() };
    let then = |id: PageId| before.relations.get(&id.relation).map(AsRef::as_ref);
    let now = |id: PageId| after.relations.get(&id.relation).map(AsRef::as_ref);
    merge(&before.pages, &after.pages, |id, old, new| {
        let there = match (old, new) {
            (Some(old), Some(new)) if old.same(new) || old == new => return,
            (Some(_), Some(_)) => false,
            (None, _) => holds(then(id), now(id), id),
            (_, None) => holds(now(id), then(id), id),
        };
        let change = PageChange { id, before: old.cloned(), after: new.cloned() };
        if there { found.known.push(change) } else { found.pages.push(change) }
    });
    found
}

/// Is the page `id` of `there` also in the files of `here`, whether it was read or not? Both are one relation at two
/// moments.
pub(super) fn holds(here: Option<&Relation>, there: Option<&Relation>, id: PageId) -> bool {
    here.zip(there).is_some_and(|(here, there)| here.keeps(there, id.fork, id.block))
}

fn relation_changes(before: &State, after: &State) -> Vec<RelationChange> {
    let mut found = Vec::new();
    merge(&before.relations, &after.relations, |oid, old, new| {
        if old != new {
            found.push(RelationChange { oid, before: old.cloned(), after: new.cloned() });
        }
    });
    found
}

/// Calls `visit` for every key of either map, in order, with both values.
fn merge<K: Ord + Copy, V>(a: &BTreeMap<K, V>, b: &BTreeMap<K, V>, mut visit: impl FnMut(K, Option<&V>, Option<&V>)) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let key = match (a.peek(), b.peek()) {
            (Some((x, _)), Some((y, _))) => **x.min(y),
            (Some((x, _)), None) => **x,
            (None, Some((y, _))) => **y,
            (None, None) => return,
        };
        let old = a.next_if(|(k, _)| **k == key).map(|(_, v)| v);
        let new = b.next_if(|(k, _)| **k == key).map(|(_, v)| v);
        visit(key, old, new);
    }
}

/// The runs of bytes that differ between two pages; bytes that only one has count as different.
pub fn changed_bytes(before: &Page, after: &Page) -> Vec<core::ops::Range<u16>> {
    /// compared at once: most of a page is the same
    const PIECE: u16 = 64;
    let (old, new) = (before.bytes(), after.bytes());
    let mut runs: Vec<core::ops::Range<u16>> = Vec::new();
    let size = before.size().max(after.size());
    for piece in (0..size).step_by(usize::from(PIECE)) {
        let piece = piece..piece.saturating_add(PIECE).min(size);
        if before.slice(piece.clone()) == after.slice(piece.clone()) {
            continue;
        }
        for at in piece.filter(|at| old.get(usize::from(*at)) != new.get(usize::from(*at))) {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
    }
    runs
}
