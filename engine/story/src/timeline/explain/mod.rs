//! What a step did and why, in PostgreSQL's words, from nothing but the bytes before and after.
//!
//! ```text
//! two captures ──rows──▶ versions added, kept, removed ──heap, hot, prune──▶ events
//!              ──maps──▶ VM and FSM bits                                ──▶ events   ──headline──▶ Explanation
//!              ──entries──▶ index entries added, removed ──nbtree──▶ events
//! a WAL record ──record──▶ what it is, its bytes                ──▶ before the events
//! ```
//!
//! The difference of two captures is measured; how it came about is inferred, and what cannot be known is said to be
//! unknown.

mod descent;
mod disk;
mod entries;
mod event;
mod headline;
mod heap;
mod hints;
mod hot;
mod maps;
mod nbtree;
mod other;
mod outcome;
mod plan;
mod prune;
mod record;
mod relation;
mod rows;
mod toast;
mod tree;
mod undo;
mod unwritten;
mod why_hot;
mod without_image;
mod words;

pub use descent::goal;
pub use disk::torn_at;
pub use event::{EventKind, HotDecision};
pub use headline::of as headline_of;
pub use outcome::{NOT_SENT, NOT_SUPPORTED, failure, tell as tell_outcome};
pub use plan::tell as tell_plan;
pub use record::told_without_names;
pub(super) use record::{measured, without_wal};

use super::{Cause, Event, Explanation, PageChange, Step};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Oid, PgVersion, TransactionId};
use ffviz_format::state::{AccessMethod, RelKind, Relation, State};
use ffviz_format::wal::RecordType;

/// Up to so many things of one sort are told one by one; more are told in one event with an example.
const EACH: usize = 5;

/// The two states that are compared, and the step between them.
#[derive(Debug, Clone, Copy)]
struct Captures<'a> {
    before: &'a State,
    after: &'a State,
    step: &'a Step,
    /// keep row data out of the text?
    redact: bool,
}

impl<'a> Captures<'a> {
    /// The server's.
    const fn version(&self) -> PgVersion {
        self.after.server.version
    }

    /// Where the step is a WAL record: its type.
    fn record_type(&self) -> Option<RecordType> {
        let Cause::Record(record) = &self.step.cause else { return None };
        Some(record.record_type(self.version()))
    }

    /// The transaction that wrote the step's record, 0 where it had no id, or there is no record.
    fn record_xid(&self) -> TransactionId {
        if let Cause::Record(record) = &self.step.cause { record.header().xl_xid() } else { 0 }
    }

    /// Is the step the difference of two moments, between which anything may have happened?
    fn is_measured(&self) -> bool {
        matches!(self.step.cause, Cause::Start | Cause::Capture | Cause::NotLogged)
    }

    /// The indexes of a table that an UPDATE met: those before the step, or if the table was not there, those after.
    fn indexes(&self, table: Oid) -> Vec<&'a Relation> {
        let state = if self.before.relations.contains_key(&table) { self.before } else { self.after };
        state.indexes(table).map(AsRef::as_ref).collect()
    }

    /// The changed pages of a fork, in block order.
    fn changes(&self, relation: Oid, fork: ForkNumber) -> impl Iterator<Item = &'a PageChange> {
        self.step.pages.iter().filter(move |change| change.id.relation == relation && change.id.fork == fork)
    }

    /// Did the main fork get shorter?
    fn shrunk(&self, relation: Oid) -> bool {
        let blocks = |state: &State| state.relations.get(&relation).map(|r| r.blocks.main);
        matches!((blocks(self.before), blocks(self.after)), (Some(was), Some(is)) if is < was)
    }
}

/// Tells what the first capture shows: nothing has happened yet.
#[must_use]
pub fn start(first: &State) -> Explanation {
    let events = relation::present(first);
    let headline = if events.is_empty() { String::from("nothing is there yet") } else { headline::of(&events) };
    Explanation { headline, events }
}

/// Tells what happened between two states. What the captures cannot show is said to be unknown, not guessed.
#[must_use]
pub fn explain(before: &State, after: &State, step: &Step) -> Explanation {
    explain_with(before, after, step, false)
}

/// The same, without any row data in its words where `redact` says so, or the states are redacted.
#[must_use]
pub fn explain_with(before: &State, after: &State, step: &Step, redact: bool) -> Explanation {
    let redact = redact || before.redacted || after.redacted;
    let captures = Captures { before, after, step, redact };
    let mut events = relation::events(&captures);
    // Where the file is another one, no page is a changed version of one before.
    let same_file = |r: &&Arc<Relation>| before.relations.get(&r.oid).is_some_and(|old| old.filenode == r.filenode);
    for relation in after.relations.values().filter(same_file) {
        events.extend(relation_events(&captures, relation));
        for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init] {
            events.extend(other::event(&captures, relation, fork, &events));
        }
    }
    events.sort_by_key(|event| event.kind);
    say_once(&mut events);
    match &step.cause {
        Cause::Record(record) => record::explanation(&captures, record, events),
        Cause::NotLogged => record::not_logged(&captures, Explanation { headline: headline::of(&events), events }),
        Cause::Unlogged(why) => {
            record::unlogged(&captures, *why, Explanation { headline: headline::of(&events), events })
        }
        Cause::Told { sentence, facts, about } => record::told(&captures, sentence, facts, *about, events),
        Cause::Start | Cause::Capture => Explanation { headline: headline::of(&events), events },
    }
}

/// Says which table it is about, unless there is only one.
fn name_table(captures: &Captures<'_>, relation: &Relation, events: &mut [Event]) {
    let is_table = |r: &&Arc<Relation>| matches!(r.kind, RelKind::Table | RelKind::MaterializedView);
    let several = captures.after.relations.values().filter(is_table).count() > 1;
    if !several && relation.kind != RelKind::Toast {
        return;
    }
    for event in events.iter_mut().filter(|e| !matches!(e.kind, EventKind::ToastStored | EventKind::ToastDeleted)) {
        event.what = format!("{}: {}", relation.told(), event.what);
    }
}

/// Of neighbours with the same reason only the first says it.
fn say_once(events: &mut [Event]) {
    for i in (1..events.len()).rev() {
        if events[i].kind == events[i - 1].kind && events[i].why == events[i - 1].why {
            events[i].why = None;
        }
    }
}

/// What happened on the pages of one relation.
fn relation_events(captures: &Captures<'_>, relation: &Relation) -> Vec<Event> {
    if let Some(mut events) = disk::events(captures, relation) {
        name_table(captures, relation, &mut events);
        return events;
    }
    let mut events = maps::events(captures, relation);
    match relation.am {
        AccessMethod::Heap => {
            let diff = rows::TableDiff::new(relation, captures);
            let mut rows = match relation.kind {
                RelKind::Toast => toast::events(&diff),
                _ => heap::events(captures, &diff),
            };
            rows.extend(prune::events(captures, &diff));
            rows.extend(hints::events(&diff));
            rows.extend(unwritten::events(&diff));
            name_table(captures, relation, &mut rows);
            events.extend(rows);
        }
        AccessMethod::Btree => {
            let diff = entries::TreeDiff::new(relation, captures);
            events.extend(tree::events(captures, &diff));
            events.extend(nbtree::events(captures, &diff));
            events.extend(descent::event(captures, relation));
        }
        AccessMethod::Sequence => events.extend(relation::sequence(captures, relation)),
        AccessMethod::Undo => {
            let mut rows = undo::events(captures, relation);
            name_table(captures, relation, &mut rows);
            events.extend(rows);
        }
        AccessMethod::Other(_) => {}
    }
    events
}

/// One event a thing, or one for all when there are many.
fn grouped<T>(things: &[T], one: impl Fn(&T) -> Event, many: impl Fn(&[T]) -> Event) -> Vec<Event> {
    match things.len() {
        0 => Vec::new(),
        n if n <= EACH => things.iter().map(one).collect(),
        _ => Vec::from([many(things)]),
    }
}
