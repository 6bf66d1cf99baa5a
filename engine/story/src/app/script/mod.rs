//! A script that runs in the simulator: editing it, changing history from a step, and the branches that come of both.
//!
//! ```text
//!   branch 1   s1 ── s2 ── s3 ── s4            as it was opened
//!   branch 2   s1 ── s2'── s3 ── s4            1 edited
//!   branch 3   s1 ── s2 ── x1 ── x2            1 up to statement 2
//! ```
//!
//! The simulator is deterministic, so each branch is a text, run from its beginning. The face runs it (`Effect::Run`)
//! and answers; the branch that was shown stays until the new one is there, and is kept.
//!
//! So changing history needs no copy of a server: sessions, open transactions and counters are as they were because the
//! same statements led there.

mod branch;
mod place;
mod report;

pub(super) use branch::Branches;
pub(super) use place::{end_of, item, same_page};

use super::source::Script;
use super::{Effect, Model, Msg, Overlay, Source, ViewName, update};
use crate::timeline::{Run, Timeline};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use branch::Origin;

/// A text to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// which run of the session it is: an answer names it
    pub number: u32,
    /// the whole script
    pub text: String,
    /// run it even where a statement is not understood: that is then part of the play
    pub anyway: bool,
}

/// What came of a request to run a text.
#[derive(Debug, Clone)]
pub enum RunReport {
    /// it is not run, since it is not understood
    Wrong(Problem),
    /// it runs: so many of its statements are done, of so many
    Running(usize, usize),
    /// it still runs, and these are its steps so far
    Partly(Box<Run>),
    /// it was run to its end; where two runs are shown, in the other way too
    Ran(Box<Run>, Option<Box<Run>>),
    /// it ended by itself before its end: a sentence. The steps that arrived are kept
    BrokeOff(String),
}

impl RunReport {
    /// Does it bring steps?
    #[must_use]
    pub const fn has_steps(&self) -> bool {
        matches!(self, Self::Partly(_) | Self::Ran(..))
    }
}

/// Why a text is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// line of the text, from 1
    pub line: usize,
    /// character of the line, from 1, where it is known
    pub column: Option<usize>,
    /// what is wrong, a sentence
    pub sentence: String,
    /// can it be run all the same?
    pub runs: bool,
    /// is it valid, and only not supported here?
    pub is_valid: bool,
}

/// A text to change. The face lets the user do so, and sends `Msg::Run` or `Msg::CloseEditor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorScene {
    /// what is edited
    pub title: String,
    /// what will be done with it: a sentence or two
    pub hint: String,
    /// the text to begin with
    pub text: String,
    /// why it was not run
    pub problem: Option<Problem>,
}

/// The script that is open, for a face that shows it beside its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptScene {
    /// the text of the branch on screen
    pub text: String,
    /// does a run go on?
    pub running: bool,
}

/// The script that is open.
pub(super) fn scene(model: &Model) -> Option<ScriptScene> {
    // a list leads elsewhere
    let script = model.branches().filter(|_| model.place.view != ViewName::List)?;
    Some(ScriptScene { text: script.text().to_string(), running: script.is_running() })
}

/// A script was opened and run.
pub(super) fn opened(model: &mut Model, name: String, run: Run) {
    let Run { text, ends, timeline } = run;
    // nothing was run yet, not even the start of a server
    let whole = timeline.len() > 1;
    update::opened(model, name.clone(), timeline, Vec::new());
    if !whole {
        model.place.view = ViewName::Figure;
        model.status = "Nothing was run yet.".to_string();
    }
    let script = Script { branches: Branches::new(text, ends, whole), versus: None };
    model.source = Source::Script(name, Box::new(script));
    let report = report::report(model);
    if !report.is_empty() {
        model.status = report;
    }
}

/// Opens the editor with the whole script.
pub(super) fn edit(model: &mut Model) {
    let Some(script) = script_at_rest(model) else { return };
    let origin = Origin::Edited(script.current());
    script.open(origin);
    show_editor(model);
}

/// Opens the editor for what is to run in place of the statements behind the current one.
pub(super) fn branch_off(model: &mut Model) {
    let here = model.timeline.as_ref().map_or(0, item);
    let Some(script) = script_at_rest(model) else { return };
    let origin = Origin::BranchedOff(script.current(), here);
    script.open(origin);
    show_editor(model);
}

/// The script, unless there is none, or it runs just now; then the status says so.
fn script_at_rest(model: &mut Model) -> Option<&mut Branches> {
    let status = match model.branches() {
        None => "Only a script can be edited: open one with ffviz sim FILE.sql in a terminal.",
        Some(script) if script.is_running() => "The script is running; Esc stops it.",
        Some(_) => return model.branches_mut(),
    };
    model.status = status.to_string();
    None
}

fn show_editor(model: &mut Model) {
    let (Some(script), Some(timeline)) = (model.branches(), &model.timeline) else { return };
    model.overlay = script.scene(timeline).map(Overlay::Editor);
}

/// Runs what was written.
pub(super) fn run(model: &mut Model, typed: String) -> Vec<Effect> {
    let Some(request) = model.branches_mut().and_then(|script| script.request(typed)) else {
        model.overlay = None;
        model.status = "Nothing was changed.".to_string();
        return Vec::new();
    };
    Vec::from([Effect::Run(request)])
}

/// Closes the editor; what was written is there again when it is opened for the same thing.
pub(super) fn close_editor(model: &mut Model, typed: String) {
    model.overlay = None;
    let changed = model.branches_mut().is_some_and(|script| script.put_aside(typed));
    if changed {
        model.status = "Not run. What you wrote is kept for when you edit again.".to_string();
    }
}

/// Stops the run that is under way; `false` where there is none.
pub(super) fn stop(model: &mut Model) -> bool {
    let stopped = model.branches_mut().is_some_and(Branches::stop);
    if stopped {
        model.busy = None;
        model.status = "Stopped. What you wrote is kept for when you edit again.".to_string();
    }
    stopped
}

/// Takes in what became of a run; one that was stopped meanwhile is of no interest.
pub(super) fn reported(model: &mut Model, number: u32, report: RunReport) {
    let Some(script) = model.branches_mut().filter(|script| script.awaits(number)) else { return };
    match report {
        RunReport::Wrong(problem) => {
            script.wrong(problem);
            show_editor(model);
        }
        RunReport::Running(done, of) => {
            model.busy = Some(format!("running: {done} of {of} statements done; Esc stops"));
            if matches!(model.overlay, Some(Overlay::Editor(_))) {
                model.overlay = None;
            }
        }
        RunReport::Partly(run) => show(model, *run, false),
        RunReport::Ran(run, _) => ran(model, *run),
        RunReport::BrokeOff(why) => {
            script.stop();
            model.busy = None;
            model.status = why;
        }
    }
}

/// A run is a new branch, and is shown, as far as it is there.
fn show(model: &mut Model, run: Run, whole: bool) {
    let Some(to) = model.branches_mut().and_then(|script| script.add(run, whole)) else { return };
    if matches!(model.overlay, Some(Overlay::Editor(_))) {
        model.overlay = None;
    }
    switch(model, to);
}

fn ran(model: &mut Model, run: Run) {
    model.busy = None;
    show(model, run, true);
    let Some(script) = model.branches() else { return };
    let failed = model.timeline.as_ref().map(|timeline| timeline.failures(model.redact));
    if let Some([(n, words), more @ ..]) = failed.as_deref() {
        let others = if more.is_empty() { String::new() } else { format!(" {} more failed.", more.len()) };
        model.status = format!("Statement {n}: {}.{others}", words.trim_end_matches('.'));
        return;
    }
    model.status = match script.kept() {
        Some(0) => "A new beginning: step forward to see what your SQL does.".to_string(),
        Some(_) => "History is another from here on: step forward to see what your SQL does.".to_string(),
        None if script.is_first() => "The script was run: step forward to see what it does.".to_string(),
        None => "The edited script was run.".to_string(),
    };
}

/// Goes to the branch that this one was made of.
pub(super) fn undo(model: &mut Model) {
    match script_at_rest(model).map(|script| script.parent()) {
        Some(Some(parent)) => switch(model, parent),
        Some(None) => model.status = "This is the script as it was opened.".to_string(),
        None => {}
    }
}

/// Goes to the next branch or the one before, round and round.
pub(super) fn next(model: &mut Model, by: isize) {
    match script_at_rest(model).map(|script| script.neighbour(by)) {
        Some(Some(to)) => switch(model, to),
        Some(None) => model.status = "There is one branch. Edit the script, or branch off, to get another.".to_string(),
        None => {}
    }
}

/// Shows another branch: the same page at the same statement, where that still exists.
fn switch(model: &mut Model, to: usize) {
    let Source::Script(_, open) = &mut model.source else { return };
    let script = &mut open.branches;
    let (Some(old), Some(mut new)) = (model.timeline.take(), script.take(to)) else { return };
    match script.branch_point(to) {
        Some(items) => new.seek(end_of(&new, items)),
        // nothing was seen yet: it begins where there is something to see
        None if old.len() == 1 || script.is_untouched(to, old.current()) => {}
        None => new.seek(place::same_moment(&old, &new)),
    }
    let page = model.place.page.and_then(|id| same_page(&old, &new, id));
    script.put(old, to);
    model.forget_places();
    let (view, selected) = (model.place.view, model.place.selected);
    update::start(model, new);
    if page.is_some() {
        (model.place.page, model.place.view, model.place.selected) = (page, view, selected);
    }
}

impl Model {
    /// Are there other branches to go to?
    pub(super) fn has_branches(&self) -> bool {
        self.branches().is_some_and(|script| script.neighbour(1).is_some())
    }
}

impl Msg {
    /// What became of run `number`.
    #[must_use]
    pub const fn run(number: u32, report: RunReport) -> Self {
        Self::RunReport { number, report }
    }
}

/// How many statements, without directives, the first items of a timeline are.
pub(super) fn statements(timeline: &Timeline, items: usize) -> usize {
    let labels = timeline.groups().iter().skip(1).take(items).map(|group| group.label.as_deref());
    labels.filter(|label| !label.is_some_and(|label| label.starts_with("--@"))).count()
}
