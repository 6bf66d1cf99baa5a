//! Tokens of an expression (src/bin/pgbench/exprscan.l).

use super::ExprError;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Int(i64),
    /// one more than the largest number, which only a minus may stand before
    MaxIntPlusOne,
    Double(f64),
    Variable(String),
    /// a keyword in lower case
    Keyword(&'static str),
    Function(String),
    Operator(&'static str),
}

const KEYWORDS: [&str; 14] =
    ["and", "or", "not", "is", "isnull", "notnull", "case", "when", "then", "else", "end", "null", "true", "false"];

/// The longer ones first.
const OPERATORS: [&str; 21] =
    ["<>", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "=", "<", ">", "|", "&", "#", "~", "(", ")", ","];

const fn is_alpha(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

const fn is_alnum(c: char) -> bool {
    is_alpha(c) || c.is_ascii_digit()
}

/// The tokens, each with the byte that it begins at.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExprError> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        // a backslash before the line's end continues the command on the next line
        if c.is_ascii_whitespace() || c == '\x0b' || rest.starts_with("\\\n") {
            at += 1;
            continue;
        }
        let (token, length) =
            token(rest, c).ok_or_else(|| ExprError::at(at, format!("unexpected character \"{c}\"")))?;
        found.push((at, token.map_err(|message| ExprError::at(at, message))?));
        at += length;
    }
    Ok(found)
}

/// The token at the text's start, which may be a number that there is not, and its length.
fn token(rest: &str, c: char) -> Option<(Result<Token, String>, usize)> {
    if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
        return Some(number(rest));
    }
    let word = |from: usize| {
        let length = rest[from..].find(|c| !is_alnum(c)).unwrap_or(rest.len() - from);
        &rest[from..from + length]
    };
    if c == ':' {
        let name = word(1);
        return name.starts_with(is_alpha).then(|| (Ok(Token::Variable(name.to_string())), 1 + name.len()));
    }
    if is_alpha(c) {
        let name = word(0);
        let keyword = KEYWORDS.iter().find(|keyword| keyword.eq_ignore_ascii_case(name));
        let token = keyword.map_or_else(|| Token::Function(name.to_string()), |keyword| Token::Keyword(keyword));
        return Some((Ok(token), name.len()));
    }
    let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator))?;
    Some((Ok(Token::Operator(operator)), operator.len()))
}

/// `{digit}+(\.{digit}*)?([eE][-+]?{digit}+)?`, or with a point first
fn number(rest: &str) -> (Result<Token, String>, usize) {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut length = whole;
    if rest[length..].starts_with('.') {
        length += 1 + digits(length + 1);
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['-', '+']));
        let exponent = digits(length + 1 + sign);
        length += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    let text = &rest[..length];
    if length > whole {
        let wrong = |_| format!("value \"{text}\" is out of range for type double");
        let value = text.parse::<f64>().map_err(wrong);
        return (value.map(Token::Double), length);
    }
    let token = match text.parse() {
        Ok(value) => Ok(Token::Int(value)),
        Err(_) if text == "9223372036854775808" => Ok(Token::MaxIntPlusOne),
        Err(_) => Err(format!("bigint constant overflow ({text})")),
    };
    (token, length)
}
