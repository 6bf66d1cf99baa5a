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
    let lexemes = lexemes.into_iter().flat_map(without_sign).collect();
    Ok(whole_numbers(sql, lexemes))
}

/// An operator ends with `+` or `-` only where it has a letter that SQL's own have not: `->-1` is `->` and a sign.
fn without_sign(lexeme: Lexeme) -> Vec<Lexeme> {
    let is_sign = |c: char| matches!(c, '+' | '-');
    let Token::Op(op) = &lexeme.token else { return Vec::from([lexeme]) };
    let is_plain = op.chars().all(|c| "+-*/<>=".contains(c)) && op.len() > 1;
    let kept = op.trim_end_matches(is_sign).len();
    if !is_plain || kept == 0 || kept == op.len() {
        return Vec::from([lexeme]);
    }
    let Position { line, column } = lexeme.position;
    let part = |text: &str, at: usize| Lexeme {
        token: Token::Op(text.to_string()),
        text: text.to_string(),
        position: Position { line, column: column + at as u32 },
    };
    let signs = op[kept..].char_indices().map(|(n, c)| part(c.encode_utf8(&mut [0; 4]), kept + n));
    core::iter::once(part(&op[..kept], 0)).chain(signs).collect()
}

/// Is it the text of a number that versions before 16 do not know: in another base, or with `_` between digits?
pub fn is_later_number(lexeme: &Lexeme) -> bool {
    matches!(lexeme.token, Token::Number(_)) && lexeme.text.contains(['_', 'x', 'X', 'o', 'O', 'b', 'B'])
}

/// `0xFF`, `0o17`, `0b101` and `1_000` as their digits; the tokenizer makes two tokens of some.
fn whole_numbers(sql: &str, lexemes: Vec<Lexeme>) -> Vec<Lexeme> {
    let lines: Vec<&str> = sql.split('\n').collect();
    let written = |at: Position| -> String {
        let line = lines.get(at.line as usize - 1).copied().unwrap_or_default();
        line.chars().skip(at.column as usize - 1).take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut all: Vec<Lexeme> = Vec::with_capacity(lexemes.len());
    let mut end = None;
    let mut rest = lexemes.into_iter().peekable();
    while let Some(mut lexeme) = rest.next() {
        if end.is_some_and(|end: Position| end.line == lexeme.position.line && end.column > lexeme.position.column) {
            continue;
        }
        // a look at the text is dear where a line has many numbers
        let is_followed = |next: &Lexeme| matches!(next.token, Token::Word(_)) && follows(&lexeme, next);
        let may_be_other = match &lexeme.token {
            Token::Number(digits) => digits == "0" && rest.peek().is_some_and(is_followed),
            token => matches!(token, Token::Bits(_)),
        };
        if may_be_other || matches!(lexeme.token, Token::Number(_)) {
            let text = if may_be_other { written(lexeme.position) } else { String::new() };
            if let Some(digits) = decimal(&text) {
                let Position { line, column } = lexeme.position;
                end = Some(Position { line, column: column + text.chars().count() as u32 });
                lexeme = Lexeme { token: Token::Number(digits), text, ..lexeme };
            } else if let Token::Number(digits) = &mut lexeme.token {
                digits.retain(|c| c != '_');
            }
        }
        all.push(lexeme);
    }
    all
}

/// Does a token begin right behind a digit?
fn follows(digit: &Lexeme, next: &Lexeme) -> bool {
    (next.position.line, next.position.column) == (digit.position.line, digit.position.column + 1)
}

/// The value of a number in another base, where it is one.
fn decimal(text: &str) -> Option<String> {
    let radix = match text.get(..2)?.to_ascii_lowercase().as_str() {
        "0x" => 16,
        "0o" => 8,
        "0b" => 2,
        _ => return None,
    };
    let digits: String = text[2..].chars().filter(|c| *c != '_').collect();
    u128::from_str_radix(&digits, radix).ok().map(|value| value.to_string())
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
