//! JSON text (src/common/jsonapi.c): a value, or PostgreSQL's error.

use crate::datum::bytes::Bytes;
use crate::datum::error::{Result, SqlError};
use crate::datum::numeric::numeric_in;
use alloc::string::String;
use alloc::vec::Vec;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// as numeric is stored
    Number(Bytes),
    String(String),
    Array(Vec<Json>),
    /// in the order written
    Object(Vec<(String, Json)>),
}

/// Lists within lists that are read.
const MAX_DEPTH: u32 = 1000;

struct Parser<'a> {
    rest: &'a str,
    /// does a string become text? (of json it is only checked)
    unescapes: bool,
}

/// `json_in` keeps the text, which must be JSON.
pub fn check(text: &str) -> Result<()> {
    document(text, false).map(|_| ())
}

/// The value that the text is; of json, whose strings are not looked into, `unescapes` is false.
pub fn document(text: &str, unescapes: bool) -> Result<Json> {
    let mut parser = Parser { rest: text, unescapes };
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.rest.is_empty() { Ok(value) } else { Err(invalid()) }
}

fn invalid() -> SqlError {
    SqlError::new("22P02", "invalid input syntax for type json")
}

impl<'a> Parser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn eat(&mut self, token: char) -> bool {
        self.skip_space();
        let stripped = self.rest.strip_prefix(token);
        self.rest = stripped.unwrap_or(self.rest);
        stripped.is_some()
    }

    fn value(&mut self, depth: u32) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(SqlError::new("54001", "stack depth limit exceeded"));
        }
        self.skip_space();
        match self.rest.chars().next() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some('"') => Ok(Json::String(self.string()?)),
            Some('-' | '0'..='9') => self.number(),
            _ => match self.word() {
                "true" => Ok(Json::Bool(true)),
                "false" => Ok(Json::Bool(false)),
                "null" => Ok(Json::Null),
                _ => Err(invalid()),
            },
        }
    }

    /// A token of letters, digits and what else does not end one (`JSON_ALPHANUMERIC_CHAR`).
    fn word(&mut self) -> &'a str {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        let end = self.rest.find(|c| !is_inside(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn array(&mut self, depth: u32) -> Result<Json> {
        self.eat('[');
        let mut elements = Vec::new();
        if self.eat(']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.eat(']') {
                return Ok(Json::Array(elements));
            }
            if !self.eat(',') {
                return Err(invalid());
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json> {
        self.eat('{');
        let mut pairs = Vec::new();
        if self.eat('}') {
            return Ok(Json::Object(pairs));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            if !self.eat(':') {
                return Err(invalid());
            }
            pairs.push((key, self.value(depth + 1)?));
            if self.eat('}') {
                return Ok(Json::Object(pairs));
            }
            if !self.eat(',') {
                return Err(invalid());
            }
        }
    }

    /// `json_lex_number`
    fn number(&mut self) -> Result<Json> {
        let bytes = self.rest.as_bytes();
        let digits = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = usize::from(bytes[0] == b'-');
        let whole = digits(end);
        let is_zero = bytes.get(end) == Some(&b'0');
        end += whole;
        let mut is_valid = whole == 1 || (whole > 1 && !is_zero);
        if bytes.get(end) == Some(&b'.') {
            is_valid &= digits(end + 1) > 0;
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            end += 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            is_valid &= digits(end) > 0;
            end += digits(end);
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        if !is_valid || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()) {
            return Err(invalid());
        }
        const UNDERSCORES_BEFORE: u32 = 15;
        let stored = if self.unescapes { numeric_in(number, -1, UNDERSCORES_BEFORE)? } else { Bytes::from([]) };
        Ok(Json::Number(stored))
    }

    /// `json_lex_string`
    fn string(&mut self) -> Result<String> {
        let mut chars = self.rest.strip_prefix('"').ok_or_else(invalid)?.chars();
        let mut text = String::new();
        loop {
            match chars.next().ok_or_else(invalid)? {
                '"' => break,
                '\\' => match chars.next().ok_or_else(invalid)? {
                    'u' => {
                        let c = escaped(&mut chars, self.unescapes)?;
                        text.extend(c);
                    }
                    c => text.push(plain_escape(c).ok_or_else(invalid)?),
                },
                c if c < ' ' => return Err(invalid()),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(text)
    }
}

const fn plain_escape(c: char) -> Option<char> {
    Some(match c {
        '"' | '\\' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

/// `\u` and four hexadecimal digits, of which two may make one character; json does not look whether they do.
fn escaped(chars: &mut core::str::Chars<'_>, unescapes: bool) -> Result<Option<char>> {
    let first = hex4(chars)?;
    if !unescapes {
        return Ok(None);
    }
    let code = match first {
        0 => return Err(SqlError::new("22P05", "unsupported Unicode escape sequence")),
        0xD800..=0xDBFF => {
            let is_pair = chars.next() == Some('\\') && chars.next() == Some('u');
            let low = if is_pair { hex4(chars)? } else { return Err(invalid()) };
            if !(0xDC00..=0xDFFF).contains(&low) {
                return Err(invalid());
            }
            0x1_0000 + ((first & 0x3FF) << 10 | (low & 0x3FF))
        }
        code => code,
    };
    char::from_u32(code).map(Some).ok_or_else(invalid)
}

fn hex4(chars: &mut core::str::Chars<'_>) -> Result<u32> {
    let mut digit = || chars.next().and_then(|c| c.to_digit(16)).ok_or_else(invalid);
    Ok(digit()? << 12 | digit()? << 8 | digit()? << 4 | digit()?)
}
