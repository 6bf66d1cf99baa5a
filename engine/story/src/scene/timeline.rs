//! The bar of steps, and what the current one did and why.

use super::figure::Plot;
use super::{
    EventLine, Look, MarkKind, PartId, Provenance, Reference, ResultScene, StepMark, TimelineScene, bands, marks,
    reference, result, words,
};
use crate::timeline::{CALLS, Cause, Explanation, Group, How, Step, Timeline, Unlogged, Wrong, who_goes_on};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::RegionKind;
use ffviz_format::state::PageId;

/// characters of a label on the bar
const LABEL_WIDTH: usize = 60;

/// characters of a statement that called a function, before what the function does
const CALLER_WIDTH: usize = 24;

/// characters of a line of a script that are shown around a place in it
const EXCERPT: usize = 48;

/// What may be shown of a label while row data is hidden.
pub type Hide = fn(&str) -> &'static str;

/// The timeline as both faces show it, with the explanation of its current step; `page` is the page that is looked at.
#[must_use]
pub fn scene(
    timeline: &Timeline,
    explanation: &Explanation,
    page: Option<PageId>,
    hide: Option<Hide>,
) -> TimelineScene {
    let label = |state| label(timeline, state, hide);
    let (current, count) = (timeline.current(), timeline.len());
    let step = timeline.step();
    let went_on = timeline.within(current).and_then(|within| who_goes_on(within));
    let session = timeline.session(current).map(|session| went_on.unwrap_or(session));
    let events = explanation.events.iter().map(|event| EventLine {
        page: event.page,
        part: event.item.map(|n| PartId::Region(RegionKind::LinePointer(n))),
        what: event.what.clone(),
        why: event.why.clone().unwrap_or_default(),
    });
    let around = current.saturating_sub(StepMark::WINDOW)..count.min(current + StepMark::WINDOW + 1);
    let kinds = marks::kinds(timeline, around.clone());
    let mark = |(state, kind): (usize, MarkKind)| {
        let here = page.is_some_and(|id| timeline.touches(state, id));
        let label = label(state);
        StepMark { state, label: words::shorten(&label, LABEL_WIDTH), here, kind }
    };
    TimelineScene {
        current,
        count,
        statement: statement(timeline, session),
        session: session.unwrap_or_default().to_string(),
        address: super::address(timeline, current).unwrap_or_default(),
        label: doing(timeline, current, hide),
        headline: if explanation.headline.is_empty() { headline(step) } else { explanation.headline.clone() },
        how: how(timeline),
        excerpt: excerpt(timeline, hide.is_some()),
        results: results(timeline, hide.is_some()),
        events: events.collect(),
        reference: reference(timeline, explanation, hide.is_some()),
        bands: bands::bands(timeline, &around, hide),
        marks: around.zip(kinds).map(mark).collect(),
    }
}

/// All steps of a statement are the statement's own, whatever was at work in the last of them.
pub fn of_whole(scene: &mut TimelineScene, timeline: &Timeline, hide: Option<Hide>) {
    let session = timeline.session(timeline.current());
    scene.label = label(timeline, timeline.current(), hide);
    scene.session = session.unwrap_or_default().to_string();
    scene.statement = statement(timeline, session);
}

/// Where to read on about what the step did; of the first state there is nothing.
fn reference(timeline: &Timeline, explanation: &Explanation, hidden: bool) -> Option<Reference> {
    let look = (timeline.current() > 0).then(|| Look::new(timeline, hidden))?;
    reference::of(Plot::of(&look, explanation))
}

/// Which statement of a script the current step belongs to; directives are not counted.
fn statement(timeline: &Timeline, session: Option<&str>) -> String {
    if !timeline.is_script() {
        return String::new();
    }
    let current = timeline.current();
    let begun = |group: &&Group| group.states.start <= current;
    let statements = || timeline.groups().iter().filter(|group| group.is_statement());
    match (statements().take_while(begun).count(), statements().count()) {
        (0, count) => format!("before {}", words::count(count as u64, "statement")),
        (n, count) => match session {
            Some(session) => format!("statement {n} of {count}, session {session}"),
            None => format!("statement {n} of {count}"),
        },
    }
}

/// What was done up to the capture that a state belongs to: usually the SQL.
pub(super) fn label(timeline: &Timeline, state: usize, hide: Option<Hide>) -> String {
    match (timeline.label(state), timeline.group(state)) {
        (Some(label), _) => hide.map_or(label, |hide| hide(label)).to_string(),
        (None, Some(group)) if group.states.start > 0 => {
            let number = timeline.groups().partition_point(|other| other.states.start < group.states.start);
            format!("capture {number}")
        }
        (None, _) => "start".to_string(),
    }
}

/// What does a step: the statement of a block or of a function that is at work, and what called it; else the label.
fn doing(timeline: &Timeline, state: usize, hide: Option<Hide>) -> String {
    let label = label(timeline, state, hide);
    let Some(within) = timeline.within(state).filter(|_| hide.is_none()) else { return label };
    let words: Vec<&str> = label.split_whitespace().collect();
    let label = match words.first() {
        Some(first) if first.eq_ignore_ascii_case("do") => "DO".to_string(),
        _ => words.join(" "),
    };
    // the one that is at work stands first, where it is not cut off; of the others enough to know them again
    let mut statements: Vec<&str> = core::iter::once(label.as_str()).chain(within.split(CALLS)).collect();
    let working = statements.pop().unwrap_or_default();
    let how = if who_goes_on(within).is_some() { "after" } else { "in" };
    let caller = |caller| format!(" · {how} {}", words::shorten(caller, CALLER_WIDTH));
    let callers = statements.into_iter().rev().map(caller);
    core::iter::once(working.to_string()).chain(callers).collect()
}

/// How the steps of a group became known, and what the check by the later capture said.
pub(super) fn how_words(group: &Group) -> String {
    let (report, gap) = match &group.how {
        How::Start => return "the first capture".to_string(),
        How::Measured(None) => return "measured: the difference of two captures".to_string(),
        How::Measured(Some(why)) => return format!("measured: the difference of two captures. {why}"),
        How::Simulated { outcome, .. } => return format!("simulated: {outcome}"),
        How::Replayed { report, gap, .. } => (report, gap),
    };
    let records = words::count(report.records as u64, "record");
    let pages = words::count(report.compared as u64, "page");
    let check = match (report.compared, report.differing.len()) {
        (0, _) => "no page to compare with the capture".to_string(),
        (_, 0) => format!("{pages} compared with the capture: equal"),
        (_, n) => format!("{pages} compared with the capture: {n} differ"),
    };
    let source = match (report.rebuilt, report.lost) {
        (0, _) => String::new(),
        (_, 0) => " as pg_walinspect tells them".to_string(),
        (_, n) => format!(" as pg_walinspect tells them, which is too little for {}", words::count(n as u64, "record")),
    };
    let gap = gap.as_ref().map_or_else(String::new, |gap| format!(". {gap}"));
    format!("{records} replayed{source}; {check}{gap}")
}

/// Where the state that is shown comes from.
#[must_use]
pub fn provenance(timeline: &Timeline) -> Provenance {
    if timeline.is_simulated() {
        return Provenance::Simulated;
    }
    match timeline.cause(timeline.current()) {
        Some(Cause::Record(_)) => Provenance::Replayed,
        Some(Cause::NotLogged) => Provenance::Inferred,
        _ => Provenance::Measured,
    }
}

fn is_crash(timeline: &Timeline) -> bool {
    matches!(timeline.cause(timeline.current()), Some(Cause::Unlogged(Unlogged::Crash)))
}

/// How the current step became known; nothing where there is no WAL at all.
fn how(timeline: &Timeline) -> String {
    let group = timeline.group(timeline.current());
    match (timeline.record(timeline.current()), group.map(|group| &group.how)) {
        (Some(record), _) => marks::record_words(timeline, record, provenance(timeline).word()),
        _ if is_told(timeline, group) => "as the server answered".to_string(),
        (None, Some(How::Replayed { .. })) if is_crash(timeline) => {
            "measured: the server's files as the crash left them".to_string()
        }
        (None, Some(How::Replayed { .. })) => match provenance(timeline) {
            Provenance::Inferred => {
                "inferred: no record says so, but the capture after the replay shows it".to_string()
            }
            _ => "measured: what replay left to the capture".to_string(),
        },
        // the title says that
        (None, Some(How::Simulated { .. })) => String::new(),
        (None, Some(How::Measured(Some(why)))) => format!("measured. {why}"),
        _ => String::new(),
    }
}

/// Is it a statement that left nothing to see on a server?
fn is_told(timeline: &Timeline, group: Option<&Group>) -> bool {
    let is_told = matches!(timeline.cause(timeline.current()), Some(Cause::Told { .. }));
    is_told && group.is_some_and(|group| group.played.is_some())
}

/// The rows that the statement gave, at its last step, where all of them are known.
fn results(timeline: &Timeline, hidden: bool) -> Vec<ResultScene> {
    let current = timeline.current();
    let group = timeline.group(current).filter(|group| group.states.end == current + 1);
    let hidden = hidden || timeline.state().redacted;
    group.map(Group::results).unwrap_or_default().iter().map(|set| result::scene(set, hidden)).collect()
}

/// Where the statement is wrong, at its last step, and the hint that a server gives.
fn excerpt(timeline: &Timeline, hidden: bool) -> Vec<String> {
    let current = timeline.current();
    let group = timeline.group(current).filter(|group| group.states.end == current + 1);
    let written = group.and_then(Group::written).filter(|_| !hidden && !timeline.state().redacted);
    let Some(written) = written else { return Vec::new() };
    let place = written.wrong.as_ref().map(place).into_iter().flatten();
    place.chain(written.hint.as_ref().map(|hint| format!("HINT: {}", words::printable(hint)))).collect()
}

/// A line of the script, and a sign below the place; of a long line what is around it.
fn place(Wrong { line, text, column }: &Wrong) -> [String; 2] {
    let at = (*column as usize).saturating_sub(1);
    let length = text.chars().count();
    let first = if length > EXCERPT { at.saturating_sub(EXCERPT / 2).min(length - EXCERPT) } else { 0 };
    let before = format!("line {line} of the script: {}", if first > 0 { "…" } else { "" });
    // a tab would move the sign below it
    let shown = words::printable(&text.chars().skip(first).take(EXCERPT).collect::<String>().replace('\t', " "));
    let after = if first + EXCERPT < length { "…" } else { "" };
    let sign = " ".repeat(before.chars().count() + at.saturating_sub(first));
    [format!("{before}{shown}{after}"), format!("{sign}^")]
}

/// What can be said where nothing was explained.
fn headline(step: &Step) -> String {
    match (&step.cause, step.pages.len()) {
        (Cause::Start, _) => "The first state.".to_string(),
        (_, 0) => "No page changed.".to_string(),
        (_, n) => format!("{} changed.", words::count(n as u64, "page")),
    }
}
