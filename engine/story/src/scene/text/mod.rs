//! The third renderer: scenes as plain text, for scripts, documentation, screen readers and golden files.
//! The same scene and options give the same text on every machine.

mod bracket;
mod charts;
mod figure;
mod inspector;
mod map;
mod narration;
mod page;
mod result;
mod table;
mod timeline;
mod tree;
mod wal;

use super::words::printable;
use super::{Change, Fact, ListScene, Role, Scene};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use inspector::inspector;
pub use map::unread;
pub use narration::{block, narration, question};
pub use result::{ResultLines, result};
pub use table::totals;
pub use timeline::timeline;

/// How text is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// columns; at least 40 are used
    pub width: usize,
    /// ASCII signs only
    pub ascii: bool,
    /// which rows of a long table
    pub rows: Rows,
}

/// Which rows are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rows {
    /// every one
    #[default]
    All,
    /// of a long table those that the step changed, each with its neighbours; of the others, how many they are
    Changed,
}

impl Options {
    const fn columns(self) -> usize {
        if self.width < 40 { 40 } else { self.width }
    }

    const fn role(self, role: Role) -> char {
        if self.ascii { role.ascii() } else { role.glyph() }
    }

    /// The text, with other signs for those that ASCII has not, and for those that a terminal takes for commands.
    #[must_use]
    pub fn finish(self, text: String) -> String {
        let is_command = |sign: char| sign.is_control() && sign != '\n';
        let text = match text.contains(is_command) {
            true => text.split('\n').map(printable).collect::<Vec<_>>().join("\n"),
            false => text,
        };
        if !self.ascii {
            return text;
        }
        let sign = |sign: char| match sign {
            '·' | '•' => "-".to_string(),
            '…' => "...".to_string(),
            '→' => "->".to_string(),
            '∞' => "infinity".to_string(),
            '–' | '─' => "-".to_string(),
            '│' => "|".to_string(),
            '┼' => "+".to_string(),
            '▒' => "#".to_string(),
            '≥' => ">=".to_string(),
            '↵' => "+".to_string(),
            sign if sign.is_ascii() => sign.to_string(),
            _ => "?".to_string(),
        };
        text.chars().map(sign).collect()
    }
}

/// A sign for what the step did.
pub(super) const fn change_sign(change: Change) -> char {
    match change {
        Change::Same => ' ',
        Change::Added => '+',
        Change::Modified => '*',
        Change::Moved => '>',
    }
}

/// The main picture.
#[must_use]
pub fn scene(scene: &Scene, options: Options) -> String {
    let text = match scene {
        Scene::List(list) => self::list(list, options),
        Scene::Page(page) => page::page(page, options),
        Scene::Figure(figure) => figure::figure(figure, options),
        Scene::RelationMap(map) => map::map(map, options),
        Scene::Tree(tree) => tree::tree(tree, options),
        Scene::Wal(wal) => wal::wal(wal, options),
        Scene::Charts(charts) => charts::charts(charts, options),
    };
    options.finish(text)
}

/// What the signs of a picture mean, wrapped.
#[must_use]
pub fn legend(roles: &[Role], options: Options) -> String {
    let known = roles.iter().filter(|role| options.role(**role) != ' ' && **role != Role::Heading);
    let words: Vec<String> = known.map(|role| format!("{} {}", options.role(*role), role.word())).collect();
    options.finish(wrap(&words, "   ", options.columns()))
}

fn list(list: &ListScene, options: Options) -> String {
    let mut text = format!("{}\n{}", list.title, paragraph(&list.hint, "", options.columns()));
    if !list.rows.is_empty() {
        text.push('\n');
        text.push_str(&table::rows(&list.columns, &list.rows, options));
    }
    text
}

/// Facts side by side, as many to a line as fit.
fn facts(facts: &[Fact], options: Options) -> String {
    let words: Vec<String> = facts.iter().map(|fact| format!("{}: {}", fact.label, fact.value)).collect();
    wrap(&words, "   ", options.columns())
}

/// Puts pieces side by side, as many to a line as fit; each line ends in a line break.
fn wrap(pieces: &[String], between: &str, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for piece in pieces {
        let length = piece.chars().count();
        if used > 0 && used + between.len() + length > width {
            text.push('\n');
            used = 0;
        }
        if used > 0 {
            text.push_str(between);
            used += between.len();
        }
        text.push_str(piece);
        used += length;
    }
    if used > 0 {
        text.push('\n');
    }
    text
}

/// Breaks a sentence into lines of at most `width` characters, each indented.
fn paragraph(sentence: &str, indent: &str, width: usize) -> String {
    let words: Vec<String> = sentence.split_whitespace().map(ToString::to_string).collect();
    let lines = wrap(&words, " ", width.saturating_sub(indent.len()).max(20));
    lines.lines().map(|line| format!("{indent}{line}\n")).collect()
}
