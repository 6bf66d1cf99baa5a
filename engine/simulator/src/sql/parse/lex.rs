//! The text as tokens: sqlparser's tokenizer, in four kinds that the grammar asks for.

use crate::sql::StatementError;
use crate::sql::error::Position;
use crate::sql::script::unfinished;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Location, Token as Raw, Tokenizer, TokenizerError, Whitespace};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// keyword or name in small letters
    Word(String),
    /// name between double quotes
    Quoted(String),
    /// number
    Number(String),
    /// between quotes, in any of the ways there are
    String(String),
    /// `B'…'`, `X'…'`: bits in binary or hexadecimal digits, behind the letter
    Bits(String),
    /// `$1`
    Param(u16),
    /// operator or punctuation
    Op(String),
    /// the text ends
    End,
}

/// A token, its text for messages, and its place.
#[derive(Debug, Clone)]
pub struct Lexeme {
    pub token: Token,
    pub text: String,
    pub position: Position,
}

/// Tokens as they are written, but with one space for many and for the end of a line.
pub fn on_one_line(tokens: &[Lexeme]) -> String {
    let mut text = String::new();
    let mut end = None;
    for lexeme in tokens {
        let Position { line, column } = lexeme.position;
        if end.is_some_and(|end| end != (line, column)) {
            text.push(' ');
        }
        text += &lexeme.text;
        end = Some((line, column + lexeme.text.chars().count() as u32));
    }
    text
}

const fn position(at: Location) -> Position {
    Position { line: at.line as u32, column: at.column as u32 }
}

/// All tokens, the last one [`Token::End`].
///
/// # Errors
/// An unfinished string or comment, an unknown character.
pub fn lex(sql: &str) -> Result<Vec<Lexeme>, StatementError> {
    let raw =
        Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().map_err(|error| refuse(sql, &error))?;
    let mut end = Position { line: 1, column: 1 };
    let mut lexemes = Vec::with_capacity(raw.len() + 1);
    let mut gap = Gap::None;
    for token in raw {
        end = position(token.span.end);
        if let (Raw::SingleQuotedString(more), Gap::Line, Some(Lexeme { token: Token::String(value), .. })) =
            (&token.token, gap, lexemes.last_mut())
        {
            value.push_str(more);
            gap = Gap::String;
            continue;
        }
        gap = gap.after(&token.token);
        if !matches!(token.token, Raw::Whitespace(_) | Raw::EOF) {
            let text = token.token.to_string();
            lexemes.push(Lexeme { token: classify(token.token, &text), text, position: position(token.span.start) });
        }
    }
    lexemes.push(Lexeme { token: Token::End, text: String::new(), position: end });
    Ok(lexemes)
}

/// What stands between a string and what follows it: a string goes on behind the end of a line
/// (`quotecontinue`, src/backend/parser/scan.l).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// no string stands before
    None,
    /// nothing, or blanks
    String,
    /// the end of a line
    Line,
}

impl Gap {
    const fn after(self, token: &Raw) -> Self {
        match (token, self) {
            (Raw::SingleQuotedString(_), _) => Self::String,
            (Raw::Whitespace(Whitespace::Space | Whitespace::Tab), before) => before,
            (Raw::Whitespace(Whitespace::MultiLineComment(_)), _) | (_, Self::None) => Self::None,
            (Raw::Whitespace(Whitespace::Newline | Whitespace::SingleLineComment { .. }), _) => Self::Line,
            _ => Self::None,
        }
    }
}

/// What the tokenizer cannot read: mostly the text's end has cut something off.
fn refuse(sql: &str, error: &TokenizerError) -> StatementError {
    let Some((what, at)) = unfinished(sql) else {
        return StatementError::unfinished(&error.message, "", position(error.location));
    };
    let (before, token) = sql.split_at(at);
    StatementError::unfinished(what, token, Position::of_byte(sql, before.len()))
}

fn classify(raw: Raw, text: &str) -> Token {
    match raw {
        Raw::Word(word) if word.quote_style.is_some() => Token::Quoted(word.value),
        Raw::Word(word) => Token::Word(word.value.to_ascii_lowercase()),
        Raw::Number(digits, _) => Token::Number(digits),
        Raw::SingleQuotedString(value) | Raw::EscapedStringLiteral(value) | Raw::UnicodeStringLiteral(value) => {
            Token::String(value)
        }
        Raw::SingleQuotedByteStringLiteral(digits) => Token::Bits(format!("b{digits}")),
        Raw::HexStringLiteral(digits) => Token::Bits(format!("x{digits}")),
        Raw::DollarQuotedString(quoted) => Token::String(quoted.value),
        Raw::Placeholder(name) => match name.strip_prefix('$').and_then(|digits| digits.parse().ok()) {
            Some(number) => Token::Param(number),
            None => Token::Op(name),
        },
        Raw::Neq => Token::Op("<>".to_string()),
        _ => Token::Op(text.to_string()),
    }
}
