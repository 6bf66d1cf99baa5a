//! Why a command did not do what was asked: sentences, and the exit status.

/// What is told on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// a sentence a line
    pub sentences: String,
    /// the exit status
    pub status: u8,
}

impl Failure {
    /// The command line asks for what there is not.
    #[must_use]
    pub const fn wrong_use(sentence: String) -> Self {
        Self { sentences: sentence, status: 2 }
    }
}

impl From<String> for Failure {
    fn from(sentences: String) -> Self {
        Self { sentences, status: 1 }
    }
}
