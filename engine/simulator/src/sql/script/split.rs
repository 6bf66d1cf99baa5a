//! Where statements end (src/fe_utils/psqlscan.l): at a semicolon outside quotes, comments, parentheses and the BEGIN
//! ATOMIC … END of a function.

use super::backslash::{self, Effect};
use super::directive::{self, DirectiveLine};
use super::variables::Variables;
use super::{Directive, FIRST_SESSION, Item, Script, ScriptError, Statement};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Reads a text once, from left to right; all positions are bytes.
pub(super) struct Splitter<'a> {
    text: &'a str,
    at: usize,
    /// where the statement begins that is being read, once its first character was seen
    start: Option<usize>,
    /// parentheses that are open
    depth: u32,
    /// is it one that makes a function, and how many BEGIN and CASE of its body are open
    body: Body,
    session: String,
    statements: u32,
    script: Script,
    /// the bytes of each item; of a statement with its semicolon and the data of COPY
    spans: Vec<Range<usize>>,
    /// commands of psql and variables that stand within the statement that is being read, and what is there instead
    cuts: Vec<(Range<usize>, String)>,
    variables: Variables,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let session = FIRST_SESSION.to_owned();
        Self {
            text,
            at: 0,
            start: None,
            depth: 0,
            body: Body::default(),
            session,
            statements: 0,
            script: Script::default(),
            spans: Vec::new(),
            cuts: Vec::new(),
            variables: Variables::default(),
        }
    }

    pub(super) fn run(mut self) -> Result<(Script, Vec<Range<usize>>), ScriptError> {
        while let Some(c) = self.rest().chars().next() {
            let known = self.spans.len();
            self.token(c)?;
            if let Some(new) = self.spans.get_mut(known) {
                new.end = self.at;
            }
        }
        self.end_statement(self.text.len());
        Ok((self.script, self.spans))
    }

    /// Goes past one token.
    fn token(&mut self, c: char) -> Result<(), ScriptError> {
        let rest = self.rest();
        match c {
            '-' if rest.starts_with("--@") && self.is_at_line_start() => return self.directive(),
            '-' if rest.starts_with("--") => self.at += line_length(rest),
            '/' if rest.starts_with("/*") => self.at += comment_length(rest),
            ';' if self.depth == 0 && self.body.open == 0 => return self.semicolon(),
            '\\' => self.backslash(),
            ':' if rest.starts_with("::") => self.at += 2,
            ':' if self.variables.at(rest).is_some() => self.variable(),
            _ if c.is_whitespace() => self.at += c.len_utf8(),
            _ => {
                self.start.get_or_insert(self.at);
                self.depth = match c {
                    '(' => self.depth + 1,
                    ')' => self.depth.saturating_sub(1),
                    _ => self.depth,
                };
                let length = word_length(rest, c);
                if self.depth == 0 && is_identifier_part(c) {
                    self.body.word(&rest[..length]);
                }
                self.at += length;
            }
        }
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The line of a position, from 1.
    fn line(&self, at: usize) -> u32 {
        1 + self.text[..at].bytes().filter(|byte| *byte == b'\n').count() as u32
    }

    fn is_at_line_start(&self) -> bool {
        let before = &self.text[..self.at];
        before[before.rfind('\n').map_or(0, |at| at + 1)..].trim().is_empty()
    }

    fn error<T>(&self, at: usize, sentence: String) -> Result<T, ScriptError> {
        Err(ScriptError { line: self.line(at), sentence })
    }

    fn directive(&mut self) -> Result<(), ScriptError> {
        let (at, length) = (self.at, line_length(self.rest()));
        if let Some(start) = self.start {
            let begun = self.line(start);
            return self.error(
                at,
                format!("a directive stands between statements; the one that begins in line {begun} has no semicolon"),
            );
        }
        let text = &self.rest()["--@".len()..length];
        self.at += length;
        match directive::parse(text) {
            Ok(DirectiveLine::Session(session)) => self.session = session,
            Ok(DirectiveLine::Directive(directive)) => {
                let line = self.line(at);
                self.spans.push(at..self.at);
                self.script.items.push(Item::Directive { directive, line });
            }
            Err(sentence) => return self.error(at, sentence),
        }
        Ok(())
    }

    /// psql's own commands. One within a statement is no part of it.
    fn backslash(&mut self) {
        let (at, length) = (self.at, backslash::length(self.rest()));
        let command = self.text[at..at + length].trim_end_matches('\\').trim_end();
        let command = if command.is_empty() { &self.text[at..at + length] } else { command };
        let effect = backslash::effect(command);
        match effect {
            Effect::None => self.cuts.push((at..at + length, String::new())),
            Effect::Sends | Effect::Ends => drop(self.end_statement(at)),
            Effect::Clears => (self.start, self.depth, self.body) = (None, 0, Body::default()),
        }
        self.variables.follow(command);
        self.at = if effect == Effect::Ends { self.text.len() } else { at + length };
        let directive = Directive::Psql(command.to_owned());
        self.spans.push(at..self.at);
        self.script.items.push(Item::Directive { directive, line: self.line(at) });
    }

    /// What a variable is stands in its place; a semicolon in it ends the statement as one in the text does.
    fn variable(&mut self) {
        let Some((length, value)) = self.variables.at(self.rest()) else { return };
        let mut place = self.at..self.at + length;
        self.at = place.end;
        let is_within = self.depth > 0 || self.body.open > 0;
        let ends = if is_within { Vec::new() } else { semicolons(&value) };
        let mut from = 0;
        for end in ends {
            self.part_of_variable(place.clone(), &value[from..end]);
            self.end_statement(place.end);
            (place.start, from) = (place.end, end + 1);
        }
        self.part_of_variable(place, &value[from..]);
    }

    /// A part of a variable's value belongs to the statement that is being read.
    fn part_of_variable(&mut self, place: Range<usize>, part: &str) {
        let part = if self.start.is_some() { part } else { part.trim_start() };
        if self.start.is_some() || !part.is_empty() {
            self.start.get_or_insert(place.start);
            self.cuts.push((place, part.to_owned()));
        }
    }

    fn semicolon(&mut self) -> Result<(), ScriptError> {
        let end = self.at;
        self.at += 1;
        if !self.end_statement(end).is_some_and(|statement| is_copy_from_stdin(&statement.sql)) {
            return Ok(());
        }
        let rest = self.rest();
        let blank = line_length(rest);
        let behind = rest[..blank].trim();
        if !behind.is_empty() && !behind.starts_with("--") {
            return self.error(end, "the data of COPY begins on the line after its semicolon".to_owned());
        }
        let (data, length) = copy_data(rest.get(blank + 1..).unwrap_or_default());
        self.at += (blank + 1 + length).min(rest.len());
        if let Some(Item::Statement(statement)) = self.script.items.last_mut() {
            statement.copy_data = Some(data);
        }
        Ok(())
    }

    /// Makes a statement of what was read since the last one; a lone semicolon makes none.
    fn end_statement(&mut self, end: usize) -> Option<&Statement> {
        (self.depth, self.body) = (0, Body::default());
        let start = self.start.take()?;
        self.spans.push(start..end);
        self.statements += 1;
        let sql = self.without_cuts(start..end).trim_end().to_owned();
        let statement = Statement {
            n: self.statements,
            session: self.session.clone(),
            // where the script ends with it there are no rows
            copy_data: is_copy_from_stdin(&sql).then(String::new),
            sql,
            line: self.line(start),
        };
        self.script.items.push(Item::Statement(statement));
        match self.script.items.last() {
            Some(Item::Statement(statement)) => Some(statement),
            _ => None,
        }
    }
}

impl Splitter<'_> {
    /// A statement's text without the commands of psql that stand in it, and with its variables.
    fn without_cuts(&mut self, statement: Range<usize>) -> String {
        let (mut sql, mut at) = (String::new(), statement.start);
        for (cut, instead) in self.cuts.drain(..).filter(|(cut, _)| cut.start >= statement.start) {
            sql.push_str(&self.text[at..cut.start]);
            sql.push_str(&instead);
            at = cut.end;
        }
        sql.push_str(&self.text[at..statement.end]);
        sql
    }
}

/// The words of a statement, as far as a body in SQL follows from them: `CREATE FUNCTION … BEGIN ATOMIC …; … END`.
#[derive(Default)]
struct Body {
    /// words so far
    words: u32,
    /// of those, how many could begin CREATE [OR REPLACE] FUNCTION or PROCEDURE
    begun: u32,
    /// is it one of them?
    is_routine: bool,
    /// BEGIN and CASE without their END
    open: u32,
}

impl Body {
    fn word(&mut self, word: &str) {
        const HOW: [&str; 3] = ["create", "or", "replace"];
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        if self.is_routine {
            match self.open {
                0 if is("begin") => self.open = 1,
                1.. if is("begin") || is("case") => self.open += 1,
                1.. if is("end") => self.open -= 1,
                _ => {}
            }
        } else if self.begun == self.words {
            let is_how = HOW.get(self.begun as usize).is_some_and(|how| is(how));
            self.is_routine = matches!(self.begun, 1 | 3) && (is("function") || is("procedure"));
            self.begun += u32::from(is_how);
        }
        self.words += 1;
    }
}

/// What a text's end has cut off, as PostgreSQL's scanner names it, and where that begins.
pub(in crate::sql) fn unfinished(text: &str) -> Option<(&'static str, usize)> {
    let (mut at, mut begun) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        // a quote that is written twice reads as two texts side by side
        let goes_on = at > 0 && matches!(c, '\'' | '"') && text[..at].ends_with(c);
        begun = if goes_on { begun } else { at };
        let length = token_length(rest, c);
        // a quote that is closed does not grow with the text
        let is_open = length == rest.len() && token_length(&format!("{rest} "), c) > length;
        match c {
            _ if !is_open || rest.starts_with("--") => at += length,
            '/' => return Some(("unterminated /* comment", at)),
            '"' => return Some(("unterminated quoted identifier", begun)),
            '$' => return Some(("unterminated dollar-quoted string", at)),
            _ => return Some(("unterminated quoted string", begun)),
        }
    }
    None
}

/// Where semicolons stand in a text that end a statement.
pub(super) fn semicolons(text: &str) -> Vec<usize> {
    let (mut at, mut depth, mut found) = (0, 0_u32, Vec::new());
    while let Some(c) = text[at..].chars().next() {
        match c {
            ';' if depth == 0 => found.push(at),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += token_length(&text[at..], c);
    }
    found
}

/// Length of the comment, quoted text, word or sign at the start of the text, whose first character is `c`.
pub(crate) fn token_length(text: &str, c: char) -> usize {
    match c {
        '-' if text.starts_with("--") => line_length(text),
        '/' if text.starts_with("/*") => comment_length(text),
        _ => word_length(text, c),
    }
}

/// Bytes up to the line's end, which is not counted.
fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Length of a comment at the start of the text; such comments nest.
fn comment_length(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_u32);
    while at < text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Length of the quoted text, identifier, number or sign at the start of the text, whose first character is `c`.
fn word_length(text: &str, c: char) -> usize {
    let escapes = matches!(text.as_bytes(), [b'e' | b'E', b'\'', ..]);
    match c {
        _ if escapes => 1 + quoted_length(&text[1..], '\'', true),
        '\'' | '"' => quoted_length(text, c, false),
        '$' => dollar_quoted_length(text).unwrap_or(1),
        _ if is_identifier_part(c) => text.find(|c| !is_identifier_part(c)).unwrap_or(text.len()),
        _ => c.len_utf8(),
    }
}

/// A `$` within an identifier begins no quote.
fn is_identifier_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// A quote of the same kind ends it; twice it stands for itself, which reads as two texts side by side.
fn quoted_length(text: &str, quote: char, escapes: bool) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return at + 1;
        }
        if c == '\\' && escapes {
            chars.next();
        }
    }
    text.len()
}

/// `$tag$ … $tag$`; `None` where the text does not begin so.
fn dollar_quoted_length(text: &str) -> Option<usize> {
    let tag_end = text[1..].find('$')? + 2;
    let tag = &text[..tag_end];
    let name = &tag[1..tag_end - 1];
    let is_name =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| text[tag_end..].find(tag).map_or(text.len(), |at| tag_end + at + tag_end))
}

/// Is data to follow?
fn is_copy_from_stdin(sql: &str) -> bool {
    let mut words = sql.split(|c: char| !is_identifier_part(c)).filter(|word| !word.is_empty());
    let is = |word: &str, keyword: &str| word.eq_ignore_ascii_case(keyword);
    if !words.next().is_some_and(|word| is(word, "copy")) {
        return false;
    }
    let mut words = words.skip_while(|word| !is(word, "from"));
    words.next().is_some() && words.next().is_some_and(|word| is(word, "stdin"))
}

/// The lines up to `\.` or the text's end, and how many bytes they are with it.
fn copy_data(text: &str) -> (String, usize) {
    let mut at = 0;
    while at < text.len() {
        let line = &text[at..at + line_length(&text[at..])];
        let next = (at + line.len() + 1).min(text.len());
        if line.trim_end_matches('\r') == "\\." {
            return (text[..at].to_owned(), next);
        }
        at = next;
    }
    (text.to_owned(), text.len())
}

#[cfg(test)]
mod tests;
