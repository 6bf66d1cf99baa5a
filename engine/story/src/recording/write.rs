//! States to lines: only what differs from the capture before.

use super::line::{CaptureLine, EndLine, FFREC_STEPS, FileLine, GoneLine, PageLine, SimulatedFacts, WalFacts};
use super::{step, wal};
use crate::lesson::Lesson;
use crate::timeline::{Group, How, Timeline, WalBetween};
use alloc::string::String;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ffviz_format::page::Page;
use ffviz_format::state::{PageId, State};

/// One capture as lines of the file. Pages and relations that are the same in `previous` are left out; a relation that
/// `previous` has and `state` has not is written as gone. `title` is a line about the whole recording, `label` says
/// what happened since `previous`, `wal` is what was written to the WAL since, where that is known.
#[must_use]
pub fn write(
    state: &State,
    previous: Option<&State>,
    title: Option<&str>,
    label: Option<&str>,
    wal: Option<&WalBetween>,
) -> String {
    capture(state, previous, wal, CaptureLine::of(state, title, label))
}

/// All captures of a timeline as a recording, with the WAL between them.
#[must_use]
pub fn save(timeline: &Timeline, title: Option<&str>) -> String {
    Saver::default().more(timeline, title)
}

/// Writes a timeline while it grows: each time what came since the time before.
#[derive(Debug, Clone, Default)]
pub struct Saver {
    /// groups that are written
    groups: usize,
    /// the state behind them
    previous: Option<State>,
}

impl Saver {
    /// The lines of the groups that are new; together they are the recording of the timeline.
    #[must_use]
    pub fn more(&mut self, timeline: &Timeline, title: Option<&str>) -> String {
        let mut at = timeline.clone();
        let mut out = String::new();
        for group in timeline.groups().iter().skip(self.groups) {
            if let How::Simulated { plan, results, outcome, usage, written } = &group.how {
                let (plan, results, outcome) = (plan.clone(), results.clone(), outcome.clone());
                let facts = SimulatedFacts { plan, results, outcome, usage: *usage, written: written.clone() };
                out.push_str(&simulated(&mut at, group, facts));
            } else {
                at.seek(group.states.end.saturating_sub(1));
                let title = title.filter(|_| self.previous.is_none());
                let label = group.label.as_deref();
                let first = CaptureLine { played: group.played.clone(), ..CaptureLine::of(at.state(), title, label) };
                let wal = wal::between(timeline, group);
                out.push_str(&capture(at.state(), self.previous.as_ref(), wal.as_ref(), first));
            }
            self.previous = Some(at.state().clone());
            self.groups += 1;
        }
        out
    }
}

/// The same, of a lesson: with what is read beside its steps.
#[must_use]
pub fn save_lesson(timeline: &Timeline, lesson: &Lesson) -> String {
    let mut out = String::new();
    FileLine::Lesson(lesson).write(&mut out);
    out.push_str(&save(timeline, Some(&lesson.title)));
    out
}

/// The steps of a statement that was simulated.
fn simulated(at: &mut Timeline, group: &Group, facts: SimulatedFacts) -> String {
    let mut out = String::new();
    at.seek(group.states.end.saturating_sub(1));
    let first = CaptureLine::of(at.state(), None, group.label.as_deref());
    FileLine::Capture(&CaptureLine { ffrec: FFREC_STEPS, simulated: Some(facts), ..first }).write(&mut out);
    for (n, state) in group.states.clone().enumerate() {
        at.seek(state);
        FileLine::Step(&step::line(at, n + 1)).write(&mut out);
    }
    let steps = Some(group.states.len());
    FileLine::End(&EndLine { pages: 0, relations: Some(0), wal: None, steps }).write(&mut out);
    out
}

fn capture(state: &State, previous: Option<&State>, wal: Option<&WalBetween>, mut first: CaptureLine) -> String {
    let carried = previous.filter(|previous| !forgets(state, previous));
    first.whole = previous.is_some() && carried.is_none();
    first.wal = wal.map(WalFacts::of);
    let mut out = String::new();
    let (mut relations, mut pages) = (0, 0);
    FileLine::Capture(&first).write(&mut out);
    for record in wal.iter().flat_map(|wal| &wal.records) {
        FileLine::Wal(&wal::line(record, &state.server)).write(&mut out);
    }
    for oid in carried.iter().flat_map(|previous| previous.relations.keys()) {
        if !state.relations.contains_key(oid) {
            FileLine::Gone(&GoneLine { oid: *oid }).write(&mut out);
            relations += 1;
        }
    }
    for (oid, relation) in &state.relations {
        if carried.and_then(|previous| previous.relations.get(oid)) != Some(relation) {
            FileLine::Relation(relation).write(&mut out);
            relations += 1;
        }
    }
    for (id, page) in &state.pages {
        if !carried.is_some_and(|previous| carries(state, previous, *id) && previous.pages.get(id) == Some(page)) {
            FileLine::Page(&page_line(*id, page)).write(&mut out);
            pages += 1;
        }
    }
    let wal = wal.map(|wal| wal.records.len());
    FileLine::End(&EndLine { pages, relations: Some(relations), wal, steps: None }).write(&mut out);
    out
}

fn page_line(id: PageId, page: &Page) -> PageLine<'static> {
    PageLine { oid: id.relation, fork: id.fork, block: id.block, data: STANDARD.encode(page.bytes()).into() }
}

/// Would a reader hold on to a page that `state` does not have? Then the capture must be written as a whole.
fn forgets(state: &State, previous: &State) -> bool {
    state.server != previous.server
        || previous.pages.keys().any(|id| carries(state, previous, *id) && !state.pages.contains_key(id))
}

/// Does a page of the capture before stay valid when this one leaves it out?
fn carries(state: &State, previous: &State, id: PageId) -> bool {
    let relations = state.relations.get(&id.relation).zip(previous.relations.get(&id.relation));
    relations.is_some_and(|(now, then)| now.keeps(then, id.fork, id.block))
}
