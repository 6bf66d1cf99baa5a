//! The JSON of a recording's lines, for serde's derived readers: what they need of it and no more, since it is loaded with the page.
//!
//! ```text
//! line ──Parser──▶ Json, which borrows from the line ──Deserializer──▶ CaptureLine, PageLine, …
//! ```
//!
//! A struct is read from a map only, a number when its type is known: so each type's reader is compiled in one form.

mod reader;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::Deserialize;
use serde::de::{self, Expected, Unexpected};

/// Lists and maps within one another, at most: a damaged line must not use up the stack.
const DEPTH: usize = 64;

/// Reads a line as a value of the type; or says why it is none.
pub(super) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    let parsed = core::str::from_utf8(line).map_err(|_| Failure::new("it is no UTF-8")).and_then(Parser::parse);
    parsed.and_then(T::deserialize).map_err(|failure| failure.0)
}

/// A value; a number as it is written.
enum Json<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Map(Vec<(Cow<'a, str>, Self)>),
}

/// Why a line cannot be read.
#[derive(Debug)]
struct Failure(String);

impl Failure {
    fn new(why: &str) -> Self {
        Self(why.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("invalid type, expected {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("invalid value, expected {expected}"))
    }
}

/// What is left of a text.
struct Parser<'a>(&'a str);

impl<'a> Parser<'a> {
    fn parse(text: &'a str) -> Result<Json<'a>, Failure> {
        let mut parser = Self(text);
        let value = parser.value(DEPTH)?;
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(Failure::new("trailing characters")),
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.bytes().next()
    }

    /// Goes past a piece, if it stands here.
    fn takes(&mut self, piece: &str) -> bool {
        self.peek();
        let rest = self.0.strip_prefix(piece);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, piece: &str) -> Result<(), Failure> {
        match self.takes(piece) {
            true => Ok(()),
            false if self.0.is_empty() => Err(Failure::new("EOF in the middle of the line")),
            false => Err(Failure(format!("expected {piece}"))),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json<'a>, Failure> {
        let deeper = depth.checked_sub(1).ok_or_else(|| Failure::new("too many brackets"));
        match self.peek() {
            Some(b'"') => Ok(Json::Text(self.text()?)),
            Some(b'{') => self.map(deeper?),
            Some(b'[') => self.list(deeper?),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.expect("true").map(|()| Json::Bool(true)),
            Some(b'f') => self.expect("false").map(|()| Json::Bool(false)),
            _ => self.expect("null").map(|()| Json::Null),
        }
    }

    fn number(&mut self) -> Result<Json<'a>, Failure> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let (number, rest) = self.0.split_at(self.0.bytes().take_while(is_part).count());
        self.0 = rest;
        match number.trim_start_matches('-').as_bytes() {
            [b'0', b'0'..=b'9', ..] => Err(Failure::new("invalid number")),
            _ => Ok(Json::Number(number)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json<'a>, Failure> {
        let mut items = Vec::new();
        self.expect("[")?;
        while !self.takes("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.value(depth)?);
        }
        Ok(Json::List(items))
    }

    fn map(&mut self, depth: usize) -> Result<Json<'a>, Failure> {
        let mut entries = Vec::new();
        self.expect("{")?;
        while !self.takes("}") {
            if !entries.is_empty() {
                self.expect(",")?;
            }
            let key = self.text()?;
            self.expect(":")?;
            entries.push((key, self.value(depth)?));
        }
        Ok(Json::Map(entries))
    }

    /// A text; nearly all are without escapes, and stay where they are.
    fn text(&mut self) -> Result<Cow<'a, str>, Failure> {
        self.expect("\"")?;
        let mut text = Cow::Borrowed("");
        loop {
            let is_other = |byte: u8| matches!(byte, b'"' | b'\\' | ..b' ');
            let end = self.0.bytes().position(is_other).ok_or_else(|| Failure::new("EOF within a text"))?;
            let (piece, rest) = self.0.split_at(end);
            match text.is_empty() {
                true => text = Cow::Borrowed(piece),
                false => text.to_mut().push_str(piece),
            }
            self.0 = rest.get(1..).unwrap_or_default();
            match rest.bytes().next() {
                Some(b'"') => return Ok(text),
                Some(b'\\') => text.to_mut().push(self.escaped()?),
                _ => return Err(Failure::new("a control character within a text")),
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Result<char, Failure> {
        let mut signs = self.0.chars();
        let sign = signs.next();
        self.0 = signs.as_str();
        Ok(match sign {
            Some(sign @ ('"' | '\\' | '/')) => sign,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let high = self.code_unit()?;
                let low = if (0xD800..0xDC00).contains(&high) && self.0.starts_with("\\u") {
                    self.0 = self.0.get(2..).unwrap_or_default();
                    Some(self.code_unit()?)
                } else {
                    None
                };
                let units = [high].into_iter().chain(low);
                match char::decode_utf16(units).next() {
                    Some(Ok(sign)) => sign,
                    _ => return Err(Failure::new("half a surrogate pair")),
                }
            }
            _ => return Err(Failure::new("invalid escape")),
        })
    }

    /// Four digits of hex.
    fn code_unit(&mut self) -> Result<u16, Failure> {
        let digits = self.0.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.0 = self.0.get(4..).unwrap_or_default();
        unit.ok_or_else(|| Failure::new("invalid escape"))
    }
}
