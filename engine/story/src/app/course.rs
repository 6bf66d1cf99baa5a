//! A lesson is a way of stepping: which section a state belongs to, what is looked at there, what is asked before the
//! next one.
//!
//! ```text
//!  section 3: states 7 8 9 10    question    section 4: states 11 12 …
//!             └ its look is applied when it is entered
//!                          └ forward from here asks, until the right answer is chosen or shown
//! ```

use super::list::{entry_row, heading};
use super::{Model, Source, ViewName, step, update};
use crate::lesson::{Lesson, Look, Question, Section, Span, SpanKind};
use crate::scene::{
    ChoiceLine, ChoiceMark, Column, ListScene, NarrationScene, PartId, QuestionScene, Role, Verdict, words,
};
use crate::timeline::Timeline;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, OffsetNumber, RegionKind};
use ffviz_format::state::{PageId, Relation};

/// what the names of lessons begin with, in the library and in addresses
pub const LESSONS: &str = "lesson";

/// characters of SQL in the list of contents
const SQL_WIDTH: usize = 60;

/// A lesson that is open.
#[derive(Debug, Clone)]
pub struct Course {
    lesson: Lesson,
    /// by section
    answers: BTreeMap<usize, Guesses>,
    /// the section whose question was asked last: the next step waits for its answer, or stands behind it
    asked: Option<usize>,
    /// the section whose look was applied
    looked: Option<usize>,
}

/// What became of a question so far.
#[derive(Debug, Clone, Default)]
struct Guesses {
    /// the choices that were tried in vain
    wrong: BTreeSet<usize>,
    /// how it ended: `None` while the reader may try again
    end: Option<Verdict>,
}

impl Course {
    pub(super) fn title(&self) -> &str {
        &self.lesson.title
    }

    /// Is something asked at the end of this section, and still open?
    fn is_open(&self, section: usize) -> bool {
        let asks = self.lesson.sections.get(section).is_some_and(|section| section.question.is_some());
        asks && self.answers.get(&section).is_none_or(|guesses| guesses.end.is_none())
    }
}

impl Model {
    /// The lesson that is open.
    #[must_use]
    pub fn lesson(&self) -> Option<&Lesson> {
        Some(&self.course()?.lesson)
    }

    /// The section of the lesson that the current state belongs to.
    pub(super) fn section(&self) -> Option<usize> {
        Some(self.course()?.lesson.section_at(self.timeline.as_ref()?.current()))
    }
}

/// A lesson begins with its contents, and what is read before the first step.
pub(super) fn opened(model: &mut Model, name: String, lesson: Lesson, mut timeline: Timeline) {
    model.busy = None;
    model.remember();
    model.forget_places();
    model.overlay = None;
    timeline.seek(0);
    update::start(model, timeline);
    model.status.clear();
    let course = Course { lesson, answers: BTreeMap::new(), asked: None, looked: None };
    model.source = Source::Lesson(name, Box::new(course));
    model.place.view = ViewName::Lesson;
    model.place.selected = Some(PartId::Entry(0));
}

/// The first question that is open between the current state and this one: the section that it ends.
pub(super) fn question_before(model: &Model, to: usize) -> Option<usize> {
    let (course, from) = (model.course()?, model.section()?);
    let until = course.lesson.section_at(to);
    (from..until).find(|n| course.is_open(*n))
}

/// Stops before the next section, until the question is answered.
pub(super) fn ask(model: &mut Model, section: usize) {
    let Some(course) = model.course_mut() else { return };
    course.asked = Some(section);
    let last = course.lesson.sections.get(section).map_or(0, |section| section.states.end.saturating_sub(1));
    step::seek(model, last);
    model.status = "What do you expect? Choose an answer by its letter.".to_string();
}

/// Answers the question that is asked here: a wrong answer is known as one from then on, and the others may be tried.
pub(super) fn choose(model: &mut Model, n: usize) {
    let Some(choice) = open_question(model).and_then(|question| question.choices.get(n).cloned()) else { return };
    let guess = |guesses: &mut Guesses| match choice.right {
        true => guesses.end = Some(Verdict::Right),
        false => drop(guesses.wrong.insert(n)),
    };
    answer(model, guess);
    if !choice.right {
        let letter = QuestionScene::letter(n);
        model.status = format!("{letter} is not right. Choose another answer.");
    }
}

/// Shows the answer to who does not want to guess, or not any more.
pub(super) fn show_answer(model: &mut Model) {
    match open_question(model).is_some() {
        true => answer(model, |guesses| guesses.end = Some(Verdict::Shown)),
        false => model.status = "Nothing is asked here.".to_string(),
    }
}

/// The question that is open at this state.
fn open_question(model: &Model) -> Option<&Question> {
    let (here, course) = (model.section()?, model.course()?);
    let is_asked = model.place.view != ViewName::List && ends_section(model) && course.is_open(here);
    course.lesson.sections.get(here).filter(|_| is_asked)?.question.as_ref()
}

fn answer(model: &mut Model, guess: impl FnOnce(&mut Guesses)) {
    let (Some(section), Some(course)) = (model.section(), model.course_mut()) else { return };
    guess(course.answers.entry(section).or_default());
    course.asked = Some(section);
    model.status = narration(model).and_then(|narration| narration.question).map_or_else(String::new, |it| said(&it));
}

/// How the question ended, as the status line says it.
fn said(question: &QuestionScene) -> String {
    let right = question.choices.iter().position(|choice| choice.mark == ChoiceMark::Right);
    match (question.verdict, right) {
        (Some(Verdict::Shown), Some(n)) => format!("The answer is {}.", QuestionScene::letter(n)),
        (verdict, _) => verdict.map_or("", Verdict::word).to_string(),
    }
}

/// To the beginning of the next section; or of this one, where that is not the current state, else of the one before.
pub(super) fn section(model: &mut Model, forward: bool) {
    let (Some(here), Some(course)) = (model.section(), model.course()) else {
        model.status = "This is no lesson.".to_string();
        return;
    };
    let start = |n: usize| course.lesson.sections.get(n).map(|section| section.states.start);
    let current = model.timeline.as_ref().map(Timeline::current);
    let to = match forward {
        true => start(here + 1),
        false if start(here) == current => here.checked_sub(1).and_then(start),
        false => start(here),
    };
    match to {
        Some(to) if forward => step::advance(model, to),
        Some(to) => step::seek(model, to),
        None if forward => model.status = "This is the last section.".to_string(),
        None => model.status = "This is the first section.".to_string(),
    }
}

/// To the first state of a section, from the list of contents.
pub(super) fn go_to_section(model: &mut Model, n: usize) {
    let section = model.course().and_then(|course| course.lesson.sections.get(n));
    let Some(start) = section.map(|section| section.states.start) else { return };
    model.remember_moment();
    if let Some(course) = model.course_mut() {
        course.looked = None;
    }
    step::seek(model, start);
    arrive(model);
}

/// A state was reached: where it is in another section, shows what that one is about, as soon as it is there.
pub(super) fn arrive(model: &mut Model) {
    let (Some(here), view) = (model.section(), model.place.view) else { return };
    let Some(course) = model.course_mut() else { return };
    if course.asked != Some(here) {
        course.asked = None;
    }
    if course.looked == Some(here) && view != ViewName::Lesson {
        return;
    }
    let looks = course.lesson.sections.iter().take(here + 1).rev();
    let look = looks.filter_map(|section| section.look.clone()).next();
    let Some(view) = view_of(model, look.as_ref()) else { return };
    if let Some(course) = model.course_mut() {
        course.looked = Some(here);
    }
    model.steps.followed = None;
    (model.place.view, model.place.page) = view;
    model.place.selected = match view {
        (ViewName::Map | ViewName::Tree, Some(id)) => Some(PartId::Block(id.block)),
        _ => None,
    };
    model.place.filter = None;
}

/// The view of a look, and the page; `None` while there is nothing of it.
fn view_of(model: &Model, look: Option<&Look>) -> Option<(ViewName, Option<PageId>)> {
    // before the first step there are the contents to choose from
    let timeline = model.timeline.as_ref().filter(|timeline| timeline.current() > 0)?;
    let state = timeline.state();
    let page = |name: &str, block| {
        let is_it = |relation: &&Arc<Relation>| relation.name == name;
        let relation = state.relations.values().find(is_it)?.oid;
        Some(PageId { relation, fork: ForkNumber::Main, block }).filter(|id| state.pages.contains_key(id))
    };
    match look {
        // the page is where the figure is made from, and a key away
        Some(Look::Page { relation, block, .. }) => {
            Some((ViewName::Figure, page(relation, *block).or_else(|| update::first_page(timeline))))
        }
        Some(Look::Map(relation)) => Some((ViewName::Map, Some(page(relation, 0)?))),
        Some(Look::Tree(index)) => Some((ViewName::Tree, Some(page(index, 0)?))),
        Some(Look::Wal) => Some((ViewName::Wal, model.place.page)),
        None => Some((ViewName::Figure, update::first_page(timeline))),
    }
}

/// Selects the tuple that the section is about, where nothing else is selected.
pub(super) fn select(model: &mut Model) {
    let (Some(here), Some(course)) = (model.section(), model.course()) else { return };
    let look = course.lesson.sections.get(here).and_then(|section| section.look.as_ref());
    let Some(Look::Page { relation, block, tuple: Some(n) }) = look else { return };
    let shown =
        model.look().zip(model.place.page).and_then(|(look, id)| Some((look.relation(id.relation)?.name.clone(), id)));
    let is_it = shown.is_some_and(|(name, id)| name == *relation && id.block == *block && id.fork == ForkNumber::Main);
    if model.place.view == ViewName::Page && is_it && model.place.selected.is_none() {
        model.place.selected = Some(PartId::Region(RegionKind::Tuple(OffsetNumber(*n))));
    }
}

/// Is the current state the last of its section?
pub(super) fn ends_section(model: &Model) -> bool {
    let section = model.course().zip(model.section()).and_then(|(course, n)| course.lesson.sections.get(n));
    let current = model.timeline.as_ref().map_or(0, Timeline::current);
    section.is_some_and(|section| current + 1 >= section.states.end)
}

/// What is read beside the current state.
pub(super) fn narration(model: &Model) -> Option<NarrationScene> {
    let course = model.course().filter(|_| model.place.view != ViewName::List)?;
    let (here, count) = (model.section()?, course.lesson.sections.len());
    let section = course.lesson.sections.get(here)?;
    Some(NarrationScene {
        title: section.title.clone(),
        place: format!("{} of {count}", here + 1),
        sql: section.sql.clone(),
        prose: section.prose.clone(),
        question: question(course, here, section).filter(|_| ends_section(model)),
    })
}

fn question(course: &Course, here: usize, section: &Section) -> Option<QuestionScene> {
    let asked = section.question.as_ref()?;
    let guesses = course.answers.get(&here);
    let end = guesses.and_then(|guesses| guesses.end);
    let was_tried = |n: usize| guesses.is_some_and(|guesses| guesses.wrong.contains(&n));
    let mark = |n: usize, right: bool| match end {
        _ if was_tried(n) => ChoiceMark::Wrong,
        None => ChoiceMark::Open,
        Some(_) if right => ChoiceMark::Right,
        Some(_) => ChoiceMark::Other,
    };
    let choices = asked.choices.iter().enumerate();
    let words = |words: &[Span]| if end.is_some() { words.to_vec() } else { undistinguished(words) };
    let choices = choices.map(|(n, choice)| ChoiceLine { words: words(&choice.words), mark: mark(n, choice.right) });
    let tried = guesses.filter(|guesses| !guesses.wrong.is_empty()).map(|_| Verdict::Wrong);
    Some(QuestionScene {
        asked: asked.asked.clone(),
        choices: choices.collect(),
        verdict: end.or(tried),
        reason: end.map_or_else(Vec::new, |_| asked.reason.clone()),
        waits: course.asked == Some(here) && end.is_none(),
        in_sight: course.asked == Some(here),
    })
}

/// Words without what tells figures from text: only the right choice has a computed one.
fn undistinguished(words: &[Span]) -> Vec<Span> {
    let kind = |kind| if kind == SpanKind::Figure { SpanKind::Text } else { kind };
    words.iter().map(|span| Span { kind: kind(span.kind), ..span.clone() }).collect()
}

/// The list of contents: a row a section, under the headings that they stand under.
pub(super) fn contents(model: &Model) -> ListScene {
    let Some(course) = model.course() else { return super::list::scene(model) };
    let mut rows = Vec::new();
    let mut title = None;
    for (n, section) in course.lesson.sections.iter().enumerate() {
        if title != Some(&section.title) && n > 0 {
            rows.push(heading(rows.len(), &section.title));
        }
        title = Some(&section.title);
        rows.push(entry_row(n, Role::Entry, Vec::from([first_line(section), steps(section)])));
    }
    ListScene {
        title: course.lesson.title.clone(),
        hint: "Step through it, or choose where to begin.".to_string(),
        columns: Vec::from([Column::new("section", false), Column::new("steps", true)]),
        rows,
    }
}

fn first_line(section: &Section) -> String {
    match section.sql.lines().find(|line| !line.trim_start().starts_with("--")) {
        Some(line) => words::shorten(line, SQL_WIDTH),
        None if section.sql.is_empty() => "what it is about".to_string(),
        None => words::shorten(&section.sql, SQL_WIDTH),
    }
}

fn steps(section: &Section) -> String {
    match section.states.len() {
        1 => section.states.start.to_string(),
        _ => format!("{}–{}", section.states.start, section.states.end.saturating_sub(1)),
    }
}
