//! What can be wrong with a statement: one sentence, and where in the text.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use ffviz_format::datum::SqlError;

pub use ffviz_format::datum::error::NOT_SIMULATED;

/// Behind this a sentence about what is not supported lists what is.
const LIST: &str = "; the simulator knows";
/// Bytes of a list that stands with its sentence, where a longer one does not.
const SHORT: usize = 100;

/// Sentences about what is not supported, a line each; where there are several, what is supported instead stands once,
/// below them.
#[must_use]
pub fn with_lists_once(sentences: &[String]) -> Vec<String> {
    if let [one] = sentences {
        return Vec::from([one.clone()]);
    }
    let (mut lines, mut lists): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for sentence in sentences {
        let Some((said, list)) = sentence.split_once(LIST).filter(|(_, list)| list.len() > SHORT) else {
            lines.push(sentence.clone());
            continue;
        };
        lines.push(String::from(said));
        let list = format!("the simulator knows{list}");
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    lines.extend(lists);
    lines
}

/// An outcome without its list of what is supported, for a line of a table.
#[must_use]
pub fn without_list(outcome: &str) -> &str {
    outcome.split_once(LIST).map_or(outcome, |(said, _)| said)
}

/// A place in the text of a statement, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// line of the statement's text
    pub line: u32,
    /// character of the line
    pub column: u32,
}

impl Position {
    /// That of a byte of a text.
    #[must_use]
    pub fn of_byte(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        Self { line, column }
    }

    /// Which character of the text it is, from 1, as servers count (`errposition`).
    #[must_use]
    pub fn character(self, text: &str) -> u32 {
        let before = text.split_inclusive('\n').take(self.line.saturating_sub(1) as usize);
        before.map(|line| line.chars().count() as u32).sum::<u32>() + self.column
    }
}

/// Who refuses the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// it is not SQL
    Syntax,
    /// PostgreSQL takes it, the simulator does not
    Unsupported,
    /// PostgreSQL itself raises this error, with these words
    Server,
}

/// A refused statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementError {
    /// who refuses
    pub refusal: Refusal,
    /// SQLSTATE and one sentence; of [`Refusal::Server`] PostgreSQL's message
    pub error: SqlError,
    /// where in the statement's text, where that is known
    pub position: Option<Position>,
}

impl StatementError {
    /// Not SQL; `token` as it stands in the text, empty at its end.
    #[must_use]
    pub fn syntax(token: &str, position: Position) -> Self {
        let message: Cow<'static, str> = match token {
            "" => "syntax error at end of input".into(),
            _ => format!("syntax error at or near \"{token}\"").into(),
        };
        Self { refusal: Refusal::Syntax, error: SqlError::new("42601", message), position: Some(position) }
    }

    /// A text that ends within a string or a comment, which begins with `token`.
    #[must_use]
    pub fn unfinished(what: &str, token: &str, position: Position) -> Self {
        const SHOWN: usize = 60;
        let shown: String = token.chars().take(SHOWN).collect();
        let dots = if shown.len() < token.len() { "…" } else { "" };
        let error = SqlError::new("42601", format!("{what} at or near \"{shown}{dots}\""));
        Self { refusal: Refusal::Syntax, error, position: Some(position) }
    }

    /// SQL that the simulator does not know.
    pub fn unsupported(message: impl Into<Cow<'static, str>>, position: Option<Position>) -> Self {
        Self { refusal: Refusal::Unsupported, error: SqlError::new(NOT_SIMULATED, message), position }
    }

    /// An error that PostgreSQL raises.
    pub fn server(sqlstate: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        SqlError::new(sqlstate, message).into()
    }

    /// The error, which knows its place too.
    #[must_use]
    pub fn error_with_place(self) -> SqlError {
        match self.position {
            Some(Position { line, column }) => self.error.at((line, column)),
            None => self.error,
        }
    }

    /// The same error, of a text that begins in the statement at `outer`.
    #[must_use]
    pub fn inside(mut self, outer: Position) -> Self {
        self.position = Some(match self.position {
            Some(Position { line, column }) if line > 1 => Position { line: outer.line + line - 1, column },
            _ => outer,
        });
        self
    }

    /// The same of no place: the text is not the statement's own.
    #[must_use]
    pub fn nowhere(self) -> Self {
        Self { error: self.error.nowhere(), position: None, ..self }
    }

    /// The same, with the place where the statement is wrong, unless a nearer one is known.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position.get_or_insert(position);
        self
    }
}

impl From<SqlError> for StatementError {
    fn from(error: SqlError) -> Self {
        let refusal = if error.sqlstate == NOT_SIMULATED { Refusal::Unsupported } else { Refusal::Server };
        let position = error.position.map(|(line, column)| Position { line, column });
        Self { refusal, error, position }
    }
}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        match (self.refusal, self.position) {
            (Refusal::Syntax | Refusal::Unsupported, Some(Position { line, column })) => {
                write!(f, " (line {line}, column {column})")
            }
            _ => Ok(()),
        }
    }
}
