//! The figure of several steps at once, such as those of a statement: the event that says most of what happened tells
//! it, on pages as they were before the first step and are after the last. Where it did the same to many rows, all of
//! them together are the event.

use super::stage::Stage;
use super::tally::{self, Told};
use super::{FigureScene, Plot, actor, cast, notes, order};
use crate::scene::marks::records_words;
use crate::scene::{Look, Provenance, timeline, words};
use crate::timeline::{Cause, Event, EventKind, Explanation, PageChange, Span, Step, Timeline};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;
use ffviz_format::page::Oid;
use ffviz_format::state::{AccessMethod, PageId, RelKind, State};
use ffviz_format::wal::{Record, RecordType};

/// rows from which on none is the one that the figure is about
const MANY: usize = 4;

/// What a trigger, a foreign key or a function did to the rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doer {
    /// who
    pub who: String,
    /// whose rows
    pub table: Oid,
    /// how many of them
    pub rows: usize,
}

/// Several steps as one event.
#[derive(Debug, Clone)]
pub struct Whole {
    states: Range<usize>,
    span: Span,
    plot: Plot,
    /// what is told of the event that says most of what happened, or of all rows together
    told: Explanation,
    /// that, and below it what the other steps did
    pub explanation: Explanation,
    /// how the steps became known
    pub how: String,
    doers: Vec<Doer>,
}

impl Whole {
    /// The steps that led to these states, if [`Self::is_there`] says so.
    #[must_use]
    pub fn of(timeline: &Timeline, states: &Range<usize>, redact: bool) -> Option<Self> {
        if !Self::is_there(timeline, states) {
            return None;
        }
        let mut span = timeline.span(states);
        let plots: Vec<(usize, Plot)> = states.clone().map(|state| (state, plot(timeline, &span, state))).collect();
        let own = own(timeline, &plots);
        let (main, plot) = *own.iter().min_by_key(|(_, plot)| Reverse(plot.rank()))?;
        let together = many(&own);
        // a record COMMIT, with which relations appear, says nothing of them
        let is_of_all = together.is_some() || plot == Plot::Catalog && timeline.record(main).is_some();
        let all = span.told(redact);
        let told = if is_of_all {
            all.clone()
        } else {
            let (cause, told) = timeline.told_at(main, redact);
            span.step.cause = cause;
            told
        };
        let plot = together.unwrap_or_else(|| refined(plot, &look_at(timeline, states, &span, redact), &told));
        let mut explanation = told.clone();
        let look = look_at(timeline, states, &span, redact);
        let doers = doers(timeline, &plots, &span.after);
        let own = own_table(timeline, &own, &span.after);
        let told_of = Told { all: &all, main: &told, own, is_of_all, doers: &doers };
        if let Some(line) = tally::of(&look, plot, &told_of) {
            explanation.headline = line;
        }
        let besides = |(state, plot): &&(usize, Plot)| match together {
            // all rows are told of already
            Some(_) => {
                matches!(plot, Plot::Commit | Plot::Abort | Plot::Checkpoint | Plot::HintBits | Plot::Prune)
            }
            None => !matches!(plot, Plot::Decision | Plot::Quiet) && (is_of_all || *state != main),
        };
        explanation.events.extend(others(timeline, plots.iter().filter(besides), redact));
        let how = how(timeline, states, redact);
        Some(Self { states: states.clone(), span, plot, told, explanation, how, doers })
    }

    /// Are they several, and is it known what happened in between?
    #[must_use]
    pub fn is_there(timeline: &Timeline, states: &Range<usize>) -> bool {
        states.len() > 1 && states.clone().all(|state| timeline.cause(state) != Some(&Cause::Capture))
    }

    /// All changes together.
    #[must_use]
    pub const fn step(&self) -> &Step {
        &self.span.step
    }

    /// What sort of event they are.
    #[must_use]
    pub const fn plot(&self) -> Plot {
        self.plot
    }

    /// The figure of all the steps.
    #[must_use]
    pub fn figure(&self, timeline: &Timeline, redact: bool, home: Option<PageId>) -> FigureScene {
        let look = look_at(timeline, &self.states, &self.span, redact);
        let mut stage = Stage::new(&look, &self.told, self.plot);
        stage.is_whole = true;
        stage.doers = &self.doers;
        cast::enter(&mut stage, home);
        notes::tell(&mut stage);
        let is_noted = stage.is_taken_back || self.plot == Plot::Abort || look.step.pages.is_empty();
        let mut scene = stage.into_scene();
        order::by_time(&mut scene, timeline, &self.states);
        if is_rolled_back(timeline, &self.states, &look) && self.plot != Plot::Abort {
            scene.title += " · rolled back";
            scene.notes.extend((!is_noted).then(|| String::from(notes::what_rollback_leaves(look.state))));
        } else if actor::changes_rows(self.plot) && !look.step.is_redo() {
            scene.notes.extend(who_sees_it(timeline, &self.states, &look));
        }
        let steps = words::count(self.states.len() as u64, "step");
        FigureScene { title: format!("{} · {steps} in one", scene.title), ..scene }
    }
}

/// The steps as one, with what is known of transactions after the last.
fn look_at<'a>(timeline: &'a Timeline, states: &Range<usize>, span: &'a Span, redact: bool) -> Look<'a> {
    let fates = timeline.fates(states.end - 1);
    Look { state: &span.after, step: &span.step, outcome: None, fates, within: None, redact }
}

/// Are they of one transaction, which was rolled back at their end? A block of PL/pgSQL may take back a part alone.
fn is_rolled_back(timeline: &Timeline, states: &Range<usize>, look: &Look<'_>) -> bool {
    let records = || states.clone().filter_map(|state| timeline.record(state));
    let is_end = |record: &&Record| matches!(record.record_type(look.version()), RecordType::Xact(of) if of.aborts());
    let xid = |record: &Record| record.header().xl_xid();
    let ended = records().find(is_end).map(xid);
    ended.is_some_and(|ended| records().map(xid).all(|xid| xid == 0 || xid == ended))
}

/// Has the transaction ended that the steps are of, so that others see what it did? Nothing where no record says so.
fn who_sees_it(timeline: &Timeline, states: &Range<usize>, look: &Look<'_>) -> Option<String> {
    let records = || states.clone().filter_map(|state| timeline.record(state));
    let mut ids = records().map(|record| record.header().xl_xid()).filter(|xid| *xid != 0);
    let xid = ids.next()?;
    if ids.any(|other| other != xid) {
        return None;
    }
    let mut ends = records().filter_map(|record| match record.record_type(look.version()) {
        RecordType::Xact(end) => Some(end),
        _ => None,
    });
    if ends.clone().any(|end| end.aborts()) {
        return None;
    }
    Some(match ends.any(|end| end.commits()) {
        true => format!("xid {xid} has committed: others see it from now on"),
        false => format!("xid {xid} has not committed yet: only its own session sees it"),
    })
}

/// What was done to rows by others than the statement itself, in the order in which they began. Locks are told of those
/// tables only whose rows nobody changed.
fn doers(timeline: &Timeline, plots: &[(usize, Plot)], after: &State) -> Vec<Doer> {
    let is_row =
        |plot: Plot| (Plot::Lock.rank()..=Plot::Update.rank()).contains(&plot.rank()) && plot != Plot::Sequence;
    let is_table = |id: &PageId| after.relations.get(&id.relation).is_some_and(|it| it.kind == RelKind::Table);
    let table_of = |(state, plot): &(usize, Plot)| {
        let is_it = is_row(*plot) && timeline.record(*state).is_some();
        Some((*state, *plot, timeline.touched(*state).filter(|_| is_it).find(is_table)?.relation))
    };
    let rows: Vec<(usize, Plot, Oid)> = plots.iter().filter_map(table_of).collect();
    let is_changed = |table: Oid| rows.iter().any(|(_, plot, of)| *of == table && *plot != Plot::Lock);
    let mut doers: Vec<Doer> = Vec::new();
    for (state, plot, table) in &rows {
        let Some(who) = timeline.who_did(*state).filter(|_| *plot != Plot::Lock || !is_changed(*table)) else {
            continue;
        };
        match doers.iter_mut().find(|doer| doer.who == who && doer.table == *table) {
            Some(doer) => doer.rows += 1,
            None => doers.push(Doer { who, table: *table, rows: 1 }),
        }
    }
    doers
}

/// What steps did besides the main one, in their order: one event a sort, with its first step's words.
fn others<'a>(timeline: &Timeline, steps: impl Iterator<Item = &'a (usize, Plot)>, redact: bool) -> Vec<Event> {
    let mut sorts: Vec<(Plot, Vec<usize>)> = Vec::new();
    for (state, plot) in steps {
        match sorts.iter_mut().find(|(sort, _)| sort == plot) {
            Some((_, states)) => states.push(*state),
            None => sorts.push((*plot, Vec::from([*state]))),
        }
    }
    sorts.iter().filter_map(|(_, states)| other(timeline, states, redact)).collect()
}

/// What steps of one sort did: the first one's words, and how many more there are.
fn other(timeline: &Timeline, states: &[usize], redact: bool) -> Option<Event> {
    let first = *states.first()?;
    let (cause, told) = timeline.told_at(first, redact);
    let page = told.events.first()?.page;
    let what = match states.len() {
        1 => told.headline,
        n => format!("{}; and {} more such", told.headline, words::thousands(n as u64 - 1)),
    };
    let why = match cause {
        Cause::Record(_) => records_words(timeline, states.iter().copied(), "WAL"),
        Cause::NotLogged => String::from("inferred: no record says so, but the capture after the replay shows it"),
        _ => return Some(Event { what, ..Event::new(EventKind::Other, page) }),
    };
    Some(Event { what, why: Some(why), ..Event::new(EventKind::Other, page) })
}

/// `replayed: 2 records · 105 bytes; hint bits inferred`
fn how(timeline: &Timeline, states: &Range<usize>, redact: bool) -> String {
    let how = provenance(timeline, states).word();
    let records = records_words(timeline, states.clone(), how);
    let guessed = |state: &usize| timeline.cause(*state) == Some(&Cause::NotLogged);
    let mut inferred: Vec<&str> = Vec::new();
    for event in states.clone().filter(guessed).flat_map(|state| timeline.told_at(state, redact).1.events) {
        let what = match event.kind {
            EventKind::Provenance => continue,
            EventKind::HintBits => "hint bits",
            EventKind::IndexKilled => "LP_DEAD marks",
            EventKind::FreeSpaceMap => "free space map",
            EventKind::AllVisible | EventKind::AllVisibleCleared => "visibility map",
            EventKind::Extended | EventKind::Truncated => "length of a file",
            EventKind::Altered => "the catalog",
            _ => "other bytes",
        };
        if !inferred.contains(&what) {
            inferred.push(what);
        }
    }
    if inferred.is_empty() { records } else { format!("{records}; {} inferred", inferred.join(", ")) }
}

/// Where the state comes from that these steps led to: of replayed records, though what no record tells may have been
/// added at the end.
#[must_use]
pub fn provenance(timeline: &Timeline, states: &Range<usize>) -> Provenance {
    match states.clone().any(|state| timeline.record(state).is_some()) {
        _ if timeline.is_simulated() => Provenance::Simulated,
        true => Provenance::Replayed,
        false => timeline::provenance(timeline),
    }
}

fn plot(timeline: &Timeline, span: &Span, state: usize) -> Plot {
    let after = &span.after;
    let Some(cause) = timeline.cause(state) else { return Plot::Quiet };
    let is_toast = |id: PageId| after.relations.get(&id.relation).is_some_and(|r| r.kind == RelKind::Toast);
    let is_of_toast = || timeline.touched(state).any(is_toast);
    match Plot::of_cause(cause, after.server.version) {
        _ if timeline.defines(state) => Plot::Catalog,
        Plot::Commit if timeline.brings_files(state) => Plot::Catalog,
        // what was found at the end is about what it is about; of bytes that nobody needs it is about nothing
        Plot::Mixed if *cause == Cause::NotLogged => match Plot::of_events(&timeline.told_at(state, false).1) {
            Plot::Mixed => Plot::Record,
            plot => plot,
        },
        // rows that are written anew, into another file
        Plot::Insert | Plot::ManyInserts if timeline.touched(state).any(|id| is_rewritten(span, id.relation)) => {
            Plot::Record
        }
        Plot::Insert | Plot::ManyInserts if is_of_toast() => Plot::Toast,
        // chunks are deleted with the row that points to them
        Plot::Delete if is_of_toast() => Plot::Record,
        // the first root has no child, whose flags would change too
        Plot::NewRoot if timeline.touched(state).count() < 3 => Plot::FirstPage,
        plot => plot,
    }
}

fn is_rewritten(span: &Span, relation: Oid) -> bool {
    span.step.relations.iter().any(|change| change.oid == relation && change.is_rewritten())
}

/// The plot, as far as only what is told of the main step, or all changed pages together, say it.
fn refined(plot: Plot, look: &Look<'_>, told: &Explanation) -> Plot {
    let is_new_leaf = |change: &PageChange| {
        change.id.block > 0
            && change.before.is_none()
            && look.relation(change.id.relation).is_some_and(|relation| relation.am == AccessMethod::Btree)
    };
    match plot {
        Plot::Catalog if look.step.pages.iter().any(is_new_leaf) => Plot::IndexBuild,
        Plot::Prune => Plot::of(look, told),
        plot => plot,
    }
}

/// The steps of the statement itself, without those of functions and triggers that it called; all of them where it
/// changed no rows itself.
fn own(timeline: &Timeline, plots: &[(usize, Plot)]) -> Vec<(usize, Plot)> {
    let own: Vec<(usize, Plot)> =
        plots.iter().filter(|(state, _)| timeline.within(*state).is_none()).copied().collect();
    let changes_rows = own.iter().any(|(_, plot)| plot.rank() >= Plot::Insert.rank());
    if changes_rows { own } else { plots.to_vec() }
}

/// The table whose rows those steps change first.
fn own_table(timeline: &Timeline, own: &[(usize, Plot)], after: &State) -> Option<Oid> {
    let rows = own.iter().filter(|(_, plot)| plot.rank() >= Plot::Lock.rank());
    let relations = rows.flat_map(|(state, _)| timeline.touched(*state)).map(|id| id.relation);
    relations.filter_map(|oid| after.relations.get(&oid)).find_map(|relation| match relation.kind {
        RelKind::Table | RelKind::MaterializedView => Some(relation.oid),
        RelKind::Toast => relation.table,
        _ => None,
    })
}

/// What was done to so many rows that they are told together.
fn many(plots: &[(usize, Plot)]) -> Option<Plot> {
    let count = |these: &[Plot]| plots.iter().filter(|(_, plot)| these.contains(plot)).count();
    let rows = [
        (Plot::ManyUpdates, count(&[Plot::Update, Plot::HotUpdate])),
        (Plot::ManyInserts, count(&[Plot::Insert, Plot::ManyInserts])),
        (Plot::Delete, count(&[Plot::Delete])),
    ];
    let (plot, most) = rows.into_iter().max_by_key(|(_, count)| *count)?;
    (most >= MANY).then_some(plot)
}
