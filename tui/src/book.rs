//! `ffviz lesson`: the chapters of the book, carried within the program, played by the simulator.

use crate::on::OnArgs;
use crate::source::Opened;
use crate::theme::Theme;
use clap::Args;
use ffviz_simulator::sql::player;
use ffviz_story::app::{self, Command, LESSONS, LibraryEntry, Model, Msg, View};
use ffviz_story::lesson::{BookEntry, book, read};
use ffviz_story::scene::text::{self, Options, Rows};
use ffviz_story::scene::{NarrationScene, QuestionScene, Scene, words};

/// Examples.
pub const HELP: &str = "Examples:
  ffviz lesson                      the first one
  ffviz lesson hot-update
  ffviz lesson --list
  ffviz lesson hot-update --on shop   its SQL on a server, in a database of its own
  ffviz lesson hot-update | less    without a terminal: prose, questions, pictures and a line a step
  ffviz show hot-update --step 12   one picture";

/// columns of the text
const WIDTH: usize = 100;
/// steps of a section that are listed
const STEPS: usize = 24;
/// lines of a picture at most
const PICTURE: usize = 60;

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
    /// a server in place of the simulator
    #[command(flatten)]
    pub on: OnArgs,
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
    let played = player::play(read).map_err(wrong)?;
    Ok(Opened { lesson: Some(played.lesson), ..Opened::new(&format!("{LESSONS}/{}", chapter.name), played.timeline) })
}

/// All lessons, a line each.
#[must_use]
pub fn list() -> String {
    let chapters = book(README);
    let width = chapters.iter().map(|chapter| chapter.name.len()).max().unwrap_or(0);
    chapters.iter().map(|BookEntry { name, title, about }| format!("{name:width$}  {title}: {about}\n")).collect()
}

/// The whole lesson as text: of each section its SQL, a line a step, the picture at its end, what is read beside it,
/// and the question with its answer. Begins with a state, and the section that it belongs to.
#[must_use]
pub fn text(model: &mut Model, chapter: Chapter, theme: &Theme, first: usize) -> String {
    let mut parts: Vec<Part> = Vec::new();
    app::update(model, Msg::Command(Command::First));
    for state in first..app::view(model).timeline.count {
        app::update(model, Msg::Seek(state));
        app::update(model, Msg::Command(Command::ShowAnswer));
        let mut view = app::view(model);
        let Some(narration) = view.narration.take() else { continue };
        let step = format!("{state:>5}  {}", view.timeline.headline);
        match parts.last_mut().filter(|part| part.narration.place == narration.place) {
            Some(part) => {
                part.steps.push(step);
                (part.narration, part.view) = (narration, view);
            }
            None => parts.push(Part { narration, steps: Vec::from_iter((state > 0).then_some(step)), view }),
        }
    }
    let options = Options { width: WIDTH, ascii: theme.ascii, rows: Rows::All };
    options.finish(parts.into_iter().map(|part| part.text(chapter, options)).collect())
}

/// A section that was gone through.
struct Part {
    /// what is read and asked at its last state
    narration: NarrationScene,
    /// a line each
    steps: Vec<String>,
    /// what there is to see at its last state
    view: View,
}

impl Part {
    fn text(mut self, chapter: Chapter, options: Options) -> String {
        let prose = std::mem::take(&mut self.narration.prose);
        let question = self.narration.question.take().map(|question| QuestionScene { verdict: None, ..question });
        let mut text = format!("{}\n", text::narration(&self.narration, options));
        for piece in [self.steps(options), self.picture(chapter, options)] {
            text.extend((!piece.is_empty()).then(|| format!("{}\n\n", piece.trim_end())));
        }
        text.extend(prose.iter().map(|block| format!("{}\n", text::block(block, options))));
        text.extend(question.map(|question| format!("{}\n", text::question(&question, options))));
        text
    }

    /// A line a step; of very many the first and the last.
    fn steps(&self, options: Options) -> String {
        let line = |line: &String| format!("{}\n", words::shorten(line, options.width));
        let hidden = self.steps.len().saturating_sub(STEPS);
        if hidden < 2 {
            return self.steps.iter().map(line).collect();
        }
        let (first, last) = (STEPS - STEPS / 4, STEPS / 4);
        let gap = format!("    …  {} more\n", words::count(hidden as u64, "step"));
        let (first, last) = (&self.steps[..first], &self.steps[self.steps.len() - last..]);
        first.iter().map(line).chain([gap]).chain(last.iter().map(line)).collect()
    }

    /// What is looked at when the SQL was run; the list of contents is no picture of that, and a long one is left out.
    fn picture(&self, chapter: Chapter, options: Options) -> String {
        if matches!(self.view.scene, Scene::List(_)) {
            return String::new();
        }
        let picture = text::scene(&self.view.scene, options);
        match picture.lines().count() {
            0..=PICTURE => picture,
            lines => {
                let (name, step) = (chapter.name, self.view.timeline.current);
                format!("(A picture of {lines} lines is left out: ffviz show {name} --step {step})")
            }
        }
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
