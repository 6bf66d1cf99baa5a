//! What is read beside the steps of a lesson: the section's prose, and what is asked at its end.

use crate::lesson::{Block, Span};
use alloc::string::String;
use alloc::vec::Vec;

/// A section of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NarrationScene {
    /// the heading that it stands under
    pub title: String,
    /// which of how many: `3 of 12`
    pub place: String,
    /// the SQL whose steps these are; empty before the first
    pub sql: String,
    /// what is to be read
    pub prose: Vec<Block>,
    /// what is asked, at the section's last state
    pub question: Option<QuestionScene>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionScene {
    /// the question
    pub asked: Vec<Block>,
    /// what may be chosen, in order: the first is number 1
    pub choices: Vec<ChoiceLine>,
    /// how it was answered; `None` while it is open
    pub verdict: Option<Verdict>,
    /// why the right answer is right; empty while it is open
    pub reason: Vec<Block>,
    /// does the next step wait for an answer?
    pub waits: bool,
    /// was it asked just now, answered or not? Then it is what is to be in sight.
    pub in_sight: bool,
}

/// An answer that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChoiceLine {
    /// its words
    pub words: Vec<Span>,
    /// what is known of it
    pub mark: ChoiceMark,
}

/// What is known of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ChoiceMark {
    /// the question is open
    #[default]
    Open,
    /// the right one
    Right,
    /// chosen, and wrong
    Wrong,
    /// neither right nor chosen
    Other,
}

impl ChoiceMark {
    /// A sign that tells it without colour.
    #[must_use]
    pub const fn glyph(self) -> char {
        match self {
            Self::Open | Self::Other => ' ',
            Self::Right => '✓',
            Self::Wrong => '✗',
        }
    }

    /// The same in ASCII.
    #[must_use]
    pub const fn ascii(self) -> char {
        match self {
            Self::Open | Self::Other => ' ',
            Self::Right => '+',
            Self::Wrong => 'x',
        }
    }

    /// In words, for those who cannot see the sign.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open | Self::Other => "",
            Self::Right => "right",
            Self::Wrong => "wrong",
        }
    }
}

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// the right answer was chosen
    Right,
    /// another one was
    Wrong,
    /// none was
    Skipped,
}

impl Verdict {
    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Right => "That is right.",
            Self::Wrong => "That is not right.",
            Self::Skipped => "Not answered.",
        }
    }
}
