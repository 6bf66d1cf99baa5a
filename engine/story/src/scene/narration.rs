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
    /// what may be chosen, in order: the first has the letter a
    pub choices: Vec<ChoiceLine>,
    /// how it was answered; `None` before the first answer
    pub verdict: Option<Verdict>,
    /// why the right answer is right; empty while it is open
    pub reason: Vec<Block>,
    /// does the next step wait for an answer?
    pub waits: bool,
    /// was it asked just now, answered or not? Then it is what is to be in sight.
    pub in_sight: bool,
}

impl QuestionScene {
    /// May it be answered? After a wrong answer it still may.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.verdict, None | Some(Verdict::Wrong))
    }

    /// What an answer is called, and chosen by.
    #[must_use]
    pub fn letter(n: usize) -> char {
        ('a'..='z').nth(n).unwrap_or('?')
    }

    /// The answer that a letter stands for, while it can be given.
    #[must_use]
    pub fn answer(&self, letter: char) -> Option<usize> {
        (0..self.choices.len()).find(|n| self.is_open() && Self::letter(*n) == letter)
    }
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
    /// another one was, and the right one may still be found
    Wrong,
    /// the right one was asked for
    Shown,
}

impl Verdict {
    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Right => "That is right.",
            Self::Wrong => "That is not right. Choose another answer, or have it shown.",
            Self::Shown => "The answer is shown.",
        }
    }
}
