//! What is said of a table, and where it is known from: a figure that was read, and one that was taken for granted, are
//! not to be mixed up.

use alloc::string::String;

/// Where something is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// read of the server
    Measured,
    /// said by who asks
    Given,
    /// taken for granted, since nobody says otherwise
    Assumed,
    /// what could not be read, and why
    NotRead,
}

impl Origin {
    /// As a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Given => "given",
            Self::Assumed => "assumed",
            Self::NotRead => "not read",
        }
    }
}

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// where it is known from
    pub origin: Origin,
    /// what is known
    pub text: String,
    /// what the command line can say otherwise, as `--busiest says otherwise`: a page has sliders in its place
    pub option: Option<&'static str>,
}

impl Fact {
    /// One.
    #[must_use]
    pub fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self { origin, text: text.into(), option: None }
    }

    /// The same, with what the command line can say otherwise.
    #[must_use]
    pub const fn with_option(mut self, option: &'static str) -> Self {
        self.option = Some(option);
        self
    }
}
