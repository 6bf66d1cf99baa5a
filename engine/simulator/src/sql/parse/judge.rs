//! Is what our grammar does not read SQL all the same? The judge is squawk's parser, which has all of PostgreSQL's
//! grammar (src/backend/parser/gram.y).
//!
//! ```text
//!  ours              the judge       what is told
//!  a syntax error    finds none      not supported: the kind of statement, and the token that ours stopped at
//!  not supported     finds one       a syntax error, where the judge found it
//!  a syntax error    finds one       the syntax error of ours
//! ```

use super::cursor::Parser;
use super::lex::{Lexeme, Token};
use super::words;
use crate::sql::StatementError;
use crate::sql::error::{Position, Refusal};
use alloc::format;
use alloc::string::String;
use squawk_parser::{EntryPoint, LexedStr, StrStep, SyntaxKind};

/// How deep a statement may be that the judge is asked about, since it calls itself: a browser's stack is small.
const DEEPEST: usize = 100;

/// What the judge says of a text.
enum Verdict {
    /// a statement of this kind
    Valid(SyntaxKind),
    /// a syntax error at this byte
    Wrong(usize),
    /// it was not asked, or has nothing to say
    Unknown,
}

impl Parser {
    /// What is told where the grammar has stopped with this error.
    pub(super) fn judged(&self, sql: &str, error: StatementError) -> StatementError {
        match (error.refusal, self.judge(sql)) {
            (Refusal::Syntax, Verdict::Valid(kind)) if !self.is_lenient(&error) => {
                let kind = format!("{kind:?}").replace('_', " ");
                let token = error.position.map_or_else(String::new, |position| self.text_at(position));
                let is_begin = token.is_empty() || kind.starts_with(&token.to_uppercase());
                let what = if is_begin { kind } else { format!("{kind} … {}", token.to_uppercase()) };
                StatementError::unsupported(format!("{what} is not supported"), error.position)
            }
            (Refusal::Server, Verdict::Wrong(byte)) if is_unknown_to_it(&error, Position::of_byte(sql, byte)) => error,
            (Refusal::Unsupported | Refusal::Server, Verdict::Wrong(byte)) => {
                // up to either place a statement may go on
                let position =
                    Position::of_byte(sql, byte).max(error.position.unwrap_or(Position { line: 1, column: 1 }));
                StatementError::syntax(&self.text_at(position), position)
            }
            _ => error,
        }
    }

    /// What the judge takes though PostgreSQL does not: comparisons in a row, two literals on a line, IN without
    /// parentheses, a colon, a byte order mark within a script.
    fn is_lenient(&self, error: &StatementError) -> bool {
        const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];
        let at = self.lexemes().iter().position(|lexeme| Some(lexeme.position) == error.position);
        let Some(at) = at else { return false };
        let is_comparison = matches!(&self.lexemes()[at].token, Token::Op(op) if COMPARISONS.contains(&op.as_str()));
        let before = at.checked_sub(1).map(|before| &self.lexemes()[before].token);
        // PostgreSQL has a colon within brackets only; psql leaves one of a variable that is not set
        let before_it = &self.lexemes()[..at];
        let count = |sign: &str| before_it.iter().filter(|it| it.token == Token::Op(sign.into())).count();
        let is_colon = self.lexemes()[at].token == Token::Op(":".into()) && count("[") == count("]");
        let is_string = |n: usize| matches!(self.lexemes()[n].token, Token::String(_));
        let is_second_string = is_string(at) && at.checked_sub(1).is_some_and(is_string);
        let is_mark = error.position.is_some_and(|position| self.text_at(position).starts_with('\u{FEFF}'));
        is_comparison || is_second_string || is_colon || is_mark || before == Some(&Token::Word("in".into()))
    }

    fn judge(&self, sql: &str) -> Verdict {
        if is_deep(self.lexemes()) {
            return Verdict::Unknown;
        }
        let lexed = LexedStr::new(sql);
        let output = EntryPoint::SourceFile.parse(&lexed.to_input());
        let (mut depth, mut statements) = (0, 0);
        let (mut kind, mut wrong) = (None, None);
        lexed.intersperse_trivia(&output, &mut |step| match step {
            StrStep::Enter { kind: entered } => {
                depth += 1;
                if depth == 2 {
                    statements += 1;
                    kind = Some(entered);
                }
            }
            StrStep::Exit => depth -= 1,
            StrStep::Error { pos, .. } => {
                wrong.get_or_insert(pos);
            }
            StrStep::Token { .. } => {}
        });
        match (wrong, kind) {
            (Some(byte), _) => Verdict::Wrong(byte),
            (None, Some(kind)) if statements == 1 && lexed.errors().next().is_none() => Verdict::Valid(kind),
            _ => Verdict::Unknown,
        }
    }

    /// The token at a place, as it stands there; empty at the text's end.
    fn text_at(&self, position: Position) -> String {
        let found = self.lexemes().iter().find(|lexeme| lexeme.position == position);
        found.map_or_else(String::new, |lexeme| lexeme.text.clone())
    }
}

/// Is it about what the judge takes for a syntax error though PostgreSQL's grammar has it: at that place an option of
/// EXPLAIN that there is not, and UNLOGGED before MATERIALIZED VIEW?
fn is_unknown_to_it(error: &StatementError, wrong: Position) -> bool {
    let is_before = |end: Position| (wrong.line, wrong.column) <= (end.line, end.column);
    let message = &error.error.message;
    message.starts_with("unrecognized EXPLAIN option") && error.position.is_some_and(is_before)
        || message == "materialized views cannot be unlogged"
}

/// Would the judge call itself too often? By brackets and CASEs that are open, what stands before an operand, and
/// queries that are put together.
fn is_deep(lexemes: &[Lexeme]) -> bool {
    let (mut open, mut prefixes, mut joined) = (0_usize, 0_usize, 0_usize);
    lexemes.iter().any(|lexeme| {
        match &lexeme.token {
            Token::Op(op) => match op.as_str() {
                "(" | "[" => (open, prefixes) = (open + 1, 0),
                ")" | "]" => open = open.saturating_sub(1),
                "," | ";" => prefixes = 0,
                _ => prefixes += 1,
            },
            Token::Word(word) => match word.as_str() {
                "case" => open += 1,
                "end" => open = open.saturating_sub(1),
                "union" | "intersect" | "except" | "join" => joined += 1,
                word if words::RESERVED.contains(&word) => prefixes += 1,
                _ => prefixes = 0,
            },
            _ => prefixes = 0,
        }
        open + prefixes + joined > DEEPEST
    })
}
