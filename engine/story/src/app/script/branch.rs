//! The branches of a script, and the editor and the run that lead to the next one.

use super::{EditorScene, Problem, RunRequest, statements};
use crate::timeline::{Run, Timeline};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How a branch came to be; branches are numbered from 0 here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// the script as it was opened
    First,
    /// that branch, edited
    Edited(usize),
    /// so many items of that branch, then another text
    BranchedOff(usize, usize),
}

/// A text that was run.
#[derive(Debug, Clone)]
struct Branch {
    origin: Origin,
    text: String,
    ends: Vec<usize>,
    /// was it run to its end? Then there is no reason to run it again
    whole: bool,
    /// the state that its steps began at, when they arrived last and before that
    begins: [usize; 2],
    /// of the branch that is shown, the model has it
    timeline: Option<Timeline>,
}

/// What is being written.
#[derive(Debug, Clone)]
struct Writing {
    origin: Origin,
    text: String,
    problem: Option<Problem>,
}

/// All branches of a script.
#[derive(Debug, Clone)]
pub(in crate::app) struct Branches {
    list: Vec<Branch>,
    current: usize,
    /// kept until it was run
    writing: Option<Writing>,
    /// the run that is under way
    awaited: Option<u32>,
    /// the branch that it fills
    filling: Option<usize>,
    /// how many runs were asked for
    runs: u32,
}

impl Branches {
    /// The script as it was opened; `whole`: was it run to its end?
    pub(super) fn new(text: String, ends: Vec<usize>, whole: bool) -> Self {
        let first = Branch { origin: Origin::First, text, ends, whole, begins: [0, 0], timeline: None };
        Self { list: Vec::from([first]), current: 0, writing: None, awaited: None, filling: None, runs: 0 }
    }

    /// The text of the branch on screen.
    pub(in crate::app) fn text(&self) -> &str {
        self.list.get(self.current).map_or("", |branch| &branch.text)
    }

    pub(super) const fn current(&self) -> usize {
        self.current
    }

    pub(super) const fn is_first(&self) -> bool {
        self.current == 0
    }

    pub(super) const fn is_running(&self) -> bool {
        self.awaited.is_some()
    }

    pub(super) fn awaits(&self, number: u32) -> bool {
        self.awaited == Some(number)
    }

    /// Begins to write, or goes on with what was put aside.
    pub(super) fn open(&mut self, origin: Origin) {
        if self.writing.as_ref().is_none_or(|writing| writing.origin != origin) {
            let text = self.known(origin).to_string();
            self.writing = Some(Writing { origin, text, problem: None });
        }
    }

    /// The text that one begins with.
    fn known(&self, origin: Origin) -> &str {
        match origin {
            Origin::Edited(of) => self.list.get(of).map_or("", |branch| &branch.text),
            Origin::First | Origin::BranchedOff(..) => "",
        }
    }

    /// What a branch keeps of the script that it goes off from, whole lines.
    fn kept_text(&self, origin: Origin) -> String {
        let Origin::BranchedOff(of, items) = origin else { return String::new() };
        let Some((branch, end)) = self.list.get(of).and_then(|branch| {
            let end = items.checked_sub(1).and_then(|last| branch.ends.get(last))?;
            Some((branch, *end))
        }) else {
            return String::new();
        };
        let kept = branch.text.get(..end).unwrap_or_default();
        // the last statement of a script may do without its semicolon; a comment may stand behind it
        let is_cut = end == branch.text.len() && !kept.trim_end().ends_with(';');
        let end = if is_cut { "\n;\n" } else { "\n" };
        format!("{kept}{end}")
    }

    pub(super) fn scene(&self, timeline: &Timeline) -> Option<EditorScene> {
        let Writing { origin, text, problem } = self.writing.as_ref()?;
        let (title, hint) = match origin {
            Origin::First | Origin::Edited(_) => ("edit the script".to_string(), "The whole script is run anew."),
            Origin::BranchedOff(_, items) => {
                let title = match statements(timeline, *items) {
                    0 => "branch off before the first statement".to_string(),
                    n => format!("branch off after statement {n}"),
                };
                let hint = "This runs in place of the statements that followed, in the session of the one before; \
                            --@ session NAME changes it. Open transactions are as they were.";
                (title, hint)
            }
        };
        Some(EditorScene { title, hint: hint.to_string(), text: text.clone(), problem: problem.clone() })
    }

    /// The text to run; none where nothing was changed since it was run to its end. What could not be run because of a
    /// problem is run anyway when it is asked for again. Where no editor was opened it is the script, edited.
    pub(super) fn request(&mut self, typed: String) -> Option<RunRequest> {
        self.open(self.writing.as_ref().map_or(Origin::Edited(self.current), |writing| writing.origin));
        let writing = self.writing.as_ref()?;
        let known = self.known(writing.origin);
        let is_whole = self.list.get(self.current).is_some_and(|branch| branch.whole);
        if is_whole && typed == known || typed.trim().is_empty() && known.is_empty() {
            self.writing = None;
            return None;
        }
        let anyway = writing.problem.as_ref().is_some_and(|problem| problem.runs) && typed == writing.text;
        let text = self.kept_text(writing.origin) + &typed;
        self.writing = Some(Writing { text: typed, problem: None, ..*writing });
        self.runs += 1;
        self.awaited = Some(self.runs);
        self.filling = None;
        Some(RunRequest { number: self.runs, text, anyway })
    }

    /// Keeps what was written; `false` where nothing was changed.
    pub(super) fn put_aside(&mut self, typed: String) -> bool {
        let Some(origin) = self.writing.as_ref().map(|writing| writing.origin) else { return false };
        let changed = typed != self.known(origin);
        self.writing = changed.then_some(Writing { origin, text: typed, problem: None });
        changed
    }

    /// Awaits no run any more; `false` where there was none.
    pub(super) const fn stop(&mut self) -> bool {
        self.filling = None;
        self.awaited.take().is_some()
    }

    /// The text was not run; lines are counted in what was written.
    pub(super) fn wrong(&mut self, problem: Problem) {
        self.awaited = None;
        let above = self.writing.as_ref().map_or_else(String::new, |writing| self.kept_text(writing.origin));
        if let Some(writing) = &mut self.writing {
            let line = problem.line.saturating_sub(above.matches('\n').count()).max(1);
            writing.problem = Some(Problem { line, ..problem });
        }
    }

    /// Keeps the branch that was awaited, or what there is of it so far; gives its number. A text that was not run to
    /// its end before takes no second place.
    pub(super) fn add(&mut self, run: Run, whole: bool) -> Option<usize> {
        if self.filling.is_none() {
            let origin = self.writing.take()?.origin;
            let again = |of: &usize| self.list.get(*of).is_some_and(|branch| !branch.whole && branch.text == run.text);
            let unfinished = if let Origin::Edited(of) = origin { Some(of).filter(again) } else { None };
            self.filling = unfinished.or_else(|| {
                self.list.push(Branch {
                    origin,
                    text: run.text,
                    ends: Vec::new(),
                    whole: false,
                    begins: [0, 0],
                    timeline: None,
                });
                Some(self.list.len() - 1)
            });
        }
        let filled = self.filling?;
        let branch = self.list.get_mut(filled)?;
        branch.begins = [run.timeline.current(), branch.begins[0]];
        (branch.ends, branch.whole, branch.timeline) = (run.ends, whole, Some(run.timeline));
        if whole {
            (self.awaited, self.filling) = (None, None);
        }
        Some(filled)
    }

    /// The steps of another branch, which goes on screen.
    pub(super) fn take(&mut self, branch: usize) -> Option<Timeline> {
        self.list.get_mut(branch)?.timeline.take()
    }

    /// Keeps the steps of the branch that leaves the screen for another; those of the same one are replaced.
    pub(super) fn put(&mut self, timeline: Timeline, next: usize) {
        if let Some(branch) = self.list.get_mut(self.current).filter(|_| self.current != next) {
            branch.timeline = Some(timeline);
        }
        self.current = next;
    }

    /// Do more steps of the branch on screen arrive, and nobody has moved from where the earlier ones began?
    pub(super) fn is_untouched(&self, to: usize, state: usize) -> bool {
        to == self.current && self.list.get(to).is_some_and(|branch| branch.begins[1] == state)
    }

    /// The branch that this one was made of.
    pub(super) fn parent(&self) -> Option<usize> {
        match self.list.get(self.current)?.origin {
            Origin::First => None,
            Origin::Edited(of) | Origin::BranchedOff(of, _) => Some(of),
        }
    }

    /// The next branch or the one before, round and round; none where there is but one.
    pub(super) fn neighbour(&self, by: isize) -> Option<usize> {
        let count = self.list.len() as isize;
        (count > 1).then(|| (self.current as isize + by).rem_euclid(count) as usize)
    }

    /// Of a branch that goes off from the one on screen: how many items it keeps.
    pub(super) fn branch_point(&self, branch: usize) -> Option<usize> {
        match self.list.get(branch)?.origin {
            Origin::BranchedOff(of, items) if of == self.current && branch > self.current => Some(items),
            _ => None,
        }
    }

    /// How many items the branch on screen has from another.
    pub(super) fn kept(&self) -> Option<usize> {
        match self.list.get(self.current)?.origin {
            Origin::BranchedOff(_, items) => Some(items),
            Origin::First | Origin::Edited(_) => None,
        }
    }

    /// `branch 2/3: 1 up to statement 4`; nothing where there is but one.
    pub(in crate::app) fn words(&self, timeline: &Timeline) -> String {
        let Some(branch) = self.list.get(self.current).filter(|_| self.list.len() > 1) else { return String::new() };
        let how = match branch.origin {
            Origin::First => String::new(),
            Origin::Edited(of) => format!(": {} edited", of + 1),
            Origin::BranchedOff(of, items) => format!(": {} up to statement {}", of + 1, statements(timeline, items)),
        };
        format!(" · branch {}/{}{how}", self.current + 1, self.list.len())
    }
}
