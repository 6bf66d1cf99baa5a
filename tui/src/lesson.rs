//! `ffviz lesson`: the chapters of the book, carried within the program, played by the simulator.

use crate::source::Opened;
use crate::theme::Theme;
use clap::Args;
use ffviz_engine::app::{self, Command, LESSONS, LibraryEntry, Model, Msg, View};
use ffviz_engine::lesson::{BookEntry, book, read};
use ffviz_engine::scene::text::{self, Options, Rows};
use ffviz_engine::scene::{NarrationScene, Scene};
use ffviz_engine::sql::lesson;

/// Examples.
pub const HELP: &str = "Examples:
  ffviz lesson                      the first one
  ffviz lesson hot-update
  ffviz lesson --list
  ffviz lesson hot-update | less    without a terminal: prose, questions and steps as text
  ffviz show hot-update --step 12   one picture";

/// columns of the text
const WIDTH: usize = 100;

/// The order of the book, its titles and what they are about.
const README: &str = include_str!("../../tutorials/README.md");

macro_rules! chapters {
    ($($name:literal),+ $(,)?) => {
        &[$(Chapter { name: $name, text: include_str!(concat!("../../tutorials/", $name, ".md")) }),+]
    };
}

/// The chapters; a test compares them with the book's list.
const CHAPTERS: &[Chapter] =
    chapters!["heap-page", "hot-update", "full-page-writes", "btree-growth", "duplicates", "version-churn"];

/// `ffviz lesson [NAME]`
#[derive(Debug, Args)]
pub struct LessonArgs {
    /// Which one; the first unless given
    pub name: Option<String>,
    /// List them
    #[arg(long, conflicts_with = "name")]
    pub list: bool,
}

/// A chapter of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chapter {
    /// its name, such as `hot-update`
    pub name: &'static str,
    /// its Markdown
    pub text: &'static str,
}

/// The lessons as the library lists them.
pub fn entries() -> impl Iterator<Item = LibraryEntry> {
    let entry = |BookEntry { name, title, about }| LibraryEntry {
        name: format!("{LESSONS}/{name}"),
        title: format!("{title}: {about}"),
    };
    book(README).into_iter().map(entry)
}

/// The lesson of this name, which may be the one in the library.
#[must_use]
pub fn find(name: &str) -> Option<Chapter> {
    let name = name.strip_prefix(LESSONS).and_then(|name| name.strip_prefix('/')).unwrap_or(name);
    CHAPTERS.iter().find(|chapter| chapter.name == name).copied()
}

/// The lesson of the command line.
///
/// # Errors
/// A name that there is not: a sentence with those there are.
pub fn chosen(name: Option<&str>) -> Result<Chapter, String> {
    let Some(name) = name else { return CHAPTERS.first().copied().ok_or_else(|| "there is no lesson".to_owned()) };
    find(name).ok_or_else(|| {
        let names: Vec<&str> = CHAPTERS.iter().map(|chapter| chapter.name).collect();
        format!("{name}: no such lesson; there are {}", names.join(", "))
    })
}

/// Runs the lesson's SQL.
///
/// # Errors
/// What is wrong with the chapter, with its line.
pub fn play(chapter: Chapter) -> Result<Opened, String> {
    let wrong = |why: String| format!("{}.md: {why}", chapter.name);
    let read = read(chapter.text).map_err(|error| wrong(error.to_string()))?;
    let played = lesson::play(read).map_err(wrong)?;
    Ok(Opened {
        name: format!("{LESSONS}/{}", chapter.name),
        timeline: played.timeline,
        lost: Vec::new(),
        page: None,
        lesson: Some(played.lesson),
    })
}

/// All lessons, a line each.
#[must_use]
pub fn list() -> String {
    let chapters = book(README);
    let width = chapters.iter().map(|chapter| chapter.name.len()).max().unwrap_or(0);
    chapters.iter().map(|BookEntry { name, title, about }| format!("{name:width$}  {title}: {about}\n")).collect()
}

/// The whole lesson as text: of each section its SQL, the steps, what is read beside them, and the question with its answer.
#[must_use]
pub fn text(model: &mut Model, theme: &Theme) -> String {
    let options = Options { width: WIDTH, ascii: theme.ascii, rows: Rows::Changed };
    let mut text = String::new();
    let mut last = None;
    app::update(model, Msg::Command(Command::First));
    for state in 0..app::view(model).timeline.count {
        app::update(model, Msg::Seek(state));
        app::update(model, Msg::Command(Command::Skip));
        let mut view = app::view(model);
        view.status.clear();
        let Some(narration) = view.narration.take() else { continue };
        let (head, read) = halves(narration);
        if last.as_ref().is_none_or(|(before, _): &(NarrationScene, NarrationScene)| before.place != head.place) {
            text.extend(last.take().map(|(_, read)| reading(&read, options)));
            text.push_str(&format!("{}\n", text::narration(&head, options)));
        }
        if state > 0 {
            text.push_str(&format!("{}\n\n", step(&view, options).trim_end()));
        }
        last = Some((head, read));
    }
    text.extend(last.map(|(_, read)| reading(&read, options)));
    text
}

/// What stands before a section's steps, and what stands behind them.
fn halves(mut narration: NarrationScene) -> (NarrationScene, NarrationScene) {
    if let Some(question) = &mut narration.question {
        question.verdict = None;
    }
    let head = NarrationScene { prose: Vec::new(), question: None, ..narration.clone() };
    (head, narration)
}

fn reading(narration: &NarrationScene, options: Options) -> String {
    let blocks = narration.prose.iter().map(|block| format!("{}\n", text::block(block, options)));
    let question = narration.question.iter().map(|question| format!("{}\n", text::question(question, options)));
    blocks.chain(question).collect()
}

/// A step; the list of contents is no picture of it.
fn step(view: &View, options: Options) -> String {
    match view.scene {
        Scene::List(_) => text::timeline(&view.timeline, options),
        _ => app::text(view, options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_lists_every_chapter() {
        let listed: Vec<String> = book(README).into_iter().map(|chapter| chapter.name).collect();
        let names: Vec<&str> = CHAPTERS.iter().map(|chapter| chapter.name).collect();
        assert!(!names.is_empty());
        assert_eq!(listed, names);
    }
}
