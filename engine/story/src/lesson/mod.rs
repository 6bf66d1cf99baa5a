//! A chapter of the book as a lesson: prose, the SQL that it is about, what is looked at, what is asked.
//!
//! ```text
//!  chapter.md ──read──▶ Lesson ──sql::player──▶ Lesson with its states, figures and answers ──▶ app, recording
//!
//!  sections     0 prose before any SQL │ 1 SQL, its steps, prose behind it │ 2 SQL, … │ …
//!  states       start                  │ first … last                      │ …        │
//! ```
//!
//! tutorials/README.md is the book, whose chapters say by comments, fences and quotes what a program needs.

#[cfg(feature = "native")]
mod book;
#[cfg(feature = "native")]
mod chapter;
#[cfg(feature = "native")]
mod comment;
mod expression;
#[cfg(feature = "native")]
mod prose;

#[cfg(feature = "native")]
pub use book::{BookEntry, book};
#[cfg(feature = "native")]
pub use chapter::read;
pub use expression::{Expression, Quantity};

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::BlockNumber;
use serde::{Deserialize, Serialize};

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lesson {
    /// its first heading
    pub title: String,
    /// the server that it is about
    #[serde(skip)]
    pub options: Options,
    /// prose before the first SQL, then one a fence of SQL with the prose behind it; never empty
    pub sections: Vec<Section>,
}

/// The simulated server of a chapter: what differs from the usual one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// its version: `18` or `18.4`
    pub version: Option<String>,
    /// settings, with their values
    pub settings: Vec<(String, String)>,
    /// the next transaction id
    pub xid: Option<u32>,
}

/// SQL, and what is to be read beside the steps that it makes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Section {
    /// the heading that it stands under
    pub title: String,
    /// its SQL; empty before the first fence
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sql: String,
    /// the line in the chapter that the SQL begins in, from 1
    #[serde(skip)]
    pub line: u32,
    /// the states that its steps lead to, once it was played: never empty then
    pub states: Range<usize>,
    /// what is shown from its first state on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// what is read
    pub prose: Vec<Block>,
    /// what is asked before the next section's SQL
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// a page of a relation
    Page {
        /// its name
        relation: String,
        /// the block of its main fork
        block: BlockNumber,
        /// the line pointer of the tuple that is selected
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tuple: Option<u16>,
    },
    /// the map of a relation
    Map(String),
    /// the tree of an index
    Tree(String),
    /// the WAL
    Wal,
}

/// A part of the prose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Block {
    /// a heading below the title
    Heading(Vec<Span>),
    /// a paragraph
    Paragraph(Vec<Span>),
    /// a list
    List {
        /// are its items counted?
        numbered: bool,
        /// each of them
        items: Vec<Vec<Self>>,
    },
    /// lines as they are, which are not run
    Code(String),
    /// rows of cells; the first row is the heading
    Table(Vec<Vec<Vec<Span>>>),
    /// a quote
    Quote(Vec<Self>),
}

/// A run of text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// as what
    #[serde(default, skip_serializing_if = "SpanKind::is_text", rename = "as")]
    pub kind: SpanKind,
    /// its text
    pub text: String,
    /// of a figure: what it is computed from
    #[serde(skip)]
    pub figure: Option<Figure>,
}

/// How a run of text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpanKind {
    /// as the rest
    #[default]
    Text,
    /// emphasised
    Emphasis,
    /// strongly so
    Strong,
    /// code, a name
    Code,
    /// computed by the engine
    Figure,
}

impl SpanKind {
    /// Is it set as the rest?
    #[must_use]
    pub const fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }
}

/// What a figure is computed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// of which quantity
    pub expression: Expression,
    /// the line in the chapter, from 1
    pub line: u32,
}

/// Something to predict.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Question {
    /// the question
    pub asked: Vec<Block>,
    /// what may be chosen
    pub choices: Vec<Choice>,
    /// why the right one is right, to be read after choosing
    pub reason: Vec<Block>,
}

/// An answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choice {
    /// its words
    pub words: Vec<Span>,
    /// is it the right one?
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub right: bool,
    /// of the right one, where its words hold no figure: what must be true
    #[serde(skip)]
    pub condition: Option<Figure>,
}

/// Why a text is no chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChapterError {
    /// the line, from 1
    pub line: u32,
    /// what is wrong and what to do
    pub sentence: String,
}

impl core::fmt::Display for ChapterError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}: {}", self.line, self.sentence)
    }
}

impl Lesson {
    /// The lesson beside a timeline of so many states, of which some may be lost; `None` where its sections do not
    /// follow each other.
    #[must_use]
    pub fn of_states(mut self, states: usize) -> Option<Self> {
        let mut next = 0;
        for section in &self.sections {
            if section.states.start != next || section.states.is_empty() {
                return None;
            }
            next = section.states.end;
        }
        self.sections.retain(|section| section.states.start < states);
        let last = self.sections.last_mut()?;
        last.states.end = last.states.end.min(states);
        Some(self)
    }

    /// The section that a state belongs to; past the last one it is the last.
    #[must_use]
    pub fn section_at(&self, state: usize) -> usize {
        self.sections.partition_point(|section| section.states.end <= state).min(self.sections.len().saturating_sub(1))
    }

    /// All its SQL as one script, each statement in the line that it has in the chapter.
    #[must_use]
    pub fn script(&self) -> String {
        let mut text = String::new();
        let mut line = 1;
        for section in self.sections.iter().filter(|section| !section.sql.is_empty()) {
            while line < section.line {
                text.push('\n');
                line += 1;
            }
            text.push_str(&section.sql);
            line += section.sql.bytes().filter(|byte| *byte == b'\n').count() as u32;
        }
        text
    }
}

/// The text of a run of spans, without how it is set.
#[must_use]
pub fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}
