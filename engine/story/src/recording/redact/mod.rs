//! Recordings that may be shown: row data replaced by filler of the same length, every structural byte kept.
//!
//! ```text
//! tuple      t_xmin … t_ctid, t_infomask, t_hoff │ nulls │ 00 00 00 00 │ 0d x x x x x │ 01 12 TOAST pointer │
//!            kept                                  kept    a number: 0   text: header kept, then x   kept
//! ```
//!
//! It works by a list of what to keep, not of what to hide: a page begins as zeros, and what is known to be structure
//! is copied to it. So the hole, alignment bytes and what old tuples left behind are zero, and so is all that nobody
//! understands.
//!
//! Kept are also: names of tables and columns, lengths of values and which are NULL, transaction ids, TIDs, statistics.
//! Equal lengths give equal filler, so the keys of a B-tree no longer stand in order. `pd_checksum` becomes 0: it would
//! let one try out guesses.

mod page;
mod rows;
mod sql;
mod wal;

pub use sql::command_tag;
pub use wal::redact_wal;

use crate::timeline::Timeline;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use ffviz_format::page::Page;
use ffviz_format::state::{PageId, RelKind, Relation, State};

/// Replaces row data by filler of the same length, in tuples, index tuples and catalog facts; keeps every structural
/// byte.
#[must_use]
pub fn redact(state: &State) -> State {
    redact_next(state, None)
}

/// A timeline of redacted captures, with the WAL between them redacted as well; of each label the command tag remains.
#[must_use]
pub fn redact_timeline(timeline: &Timeline) -> Timeline {
    let label = |n| timeline.label(n).and_then(command_tag).map(ToString::to_string);
    let mut from = timeline.clone();
    from.seek(0);
    let mut before = from.state().clone();
    let mut hidden = Timeline::new(redact(&before), label(0));
    for group in timeline.groups().iter().skip(1) {
        let last = group.states.end.saturating_sub(1);
        from.seek(last);
        let next = redact_next(from.state(), Some((&before, hidden.last())));
        match super::wal::between(timeline, group) {
            Some(wal) => hidden.push_replayed(next, label(last), redact_wal(&wal, &before, from.state())),
            None => hidden.push(next, label(last)),
        }
        before = from.state().clone();
    }
    hidden
}

/// Redacts a state; pages that are the same in the state before are taken from its redacted form.
fn redact_next(state: &State, before: Option<(&State, &State)>) -> State {
    let page = |(id, page): (&PageId, &Page)| {
        let done = before.and_then(|(before, hidden)| {
            let same_columns = state.relations.get(&id.relation).map(|r| &r.attributes)
                == before.relations.get(&id.relation).map(|r| &r.attributes);
            let same_page = before.pages.get(id).is_some_and(|old| old.same(page));
            hidden.pages.get(id).filter(|_| same_columns && same_page).cloned()
        });
        (*id, done.unwrap_or_else(|| page::redact(state, *id, page)))
    };
    State {
        server: state.server.clone(),
        relations: state.relations.iter().map(|(oid, relation)| (*oid, Arc::new(facts(relation)))).collect(),
        pages: state.pages.iter().map(page).collect(),
        lsn: state.lsn,
        redo: state.redo,
        system_identifier: state.system_identifier,
        at: state.at.clone(),
        redacted: true,
        file: state.file,
    }
}

/// The catalog's facts without values: those in definitions, those that old rows have in columns added later, an enum's
/// labels.
fn facts(relation: &Relation) -> Relation {
    let mut hidden = relation.clone();
    for attribute in &mut hidden.attributes {
        // an enum's labels are its values
        attribute.labels.clear();
        if let Some(missing) = &mut attribute.missing {
            *missing = crossed_out(missing);
        }
    }
    if let Some(index) = &mut hidden.index {
        index.definition = sql::without_literals(&index.definition);
    }
    hidden
}

/// Is the relation, or the table it belongs to, a TOAST table? Its keys are ids that TOAST pointers name, and no row
/// data.
fn is_toast(state: &State, relation: &Relation) -> bool {
    let table = relation.table.and_then(|oid| state.relations.get(&oid));
    relation.kind == RelKind::Toast
        || relation.kind == RelKind::Index && table.is_some_and(|t| t.kind == RelKind::Toast)
}

/// A text of the same length, of nothing but `x`.
fn crossed_out(text: &str) -> String {
    text.chars().map(|_| 'x').collect()
}
