//! The text of a statement, read as PostgreSQL's scanner reads it (src/backend/parser/scan.l): is it one statement, and
//! would two scanners take it for the same?
//!
//! ```text
//!  DROP TABLE t -- old ⏎  ──▶  DROP TABLE t         comments become blanks: nobody can disagree about where they end
//!  DROP TABLE U&"\0070g"  ──▶  refused              what only some scanners understand is not sent
//! ```

/// The text of a statement without its comments, and what stands in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plain {
    /// what is sent: the statement, blanks in place of its comments
    pub text: String,
    /// keywords and names outside quotes, in small letters
    pub words: Vec<Word>,
    /// names in double quotes, without them
    pub quoted: Vec<String>,
    /// of names with dots the first part: a schema, or a relation before its column
    pub qualifiers: Vec<String>,
    /// texts between single quotes or dollars, as they are written
    pub literals: Vec<String>,
    /// does a text say a character by a backslash, so that it says another thing than is written?
    pub escapes: bool,
}

/// A keyword or a name without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// in small letters
    pub text: String,
    /// does a parenthesis follow, as after the name of a function?
    pub called: bool,
}

/// Why a text is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Odd {
    /// it ends within a quote or a comment: it is no statement
    Unfinished,
    /// what it is, a phrase: scanners may disagree about it
    Ambiguous(&'static str),
}

/// Reads a statement.
///
/// # Errors
/// [`Odd`].
pub fn read(sql: &str) -> Result<Plain, Odd> {
    scan(sql, false)
}

/// Reads a statement of which semicolons, parameters and names with dollars may be part, as they are of functions and
/// of PREPARE; or the body of a function.
///
/// # Errors
/// [`Odd`].
pub fn read_any(sql: &str) -> Result<Plain, Odd> {
    scan(sql, true)
}

fn scan(sql: &str, is_any: bool) -> Result<Plain, Odd> {
    let sql = sql.replace("\r\n", "\n");
    let mut scanner = Scanner { rest: &sql, is_any, plain: Plain::default() };
    while let Some(c) = scanner.rest.chars().next() {
        scanner.token(c)?;
    }
    Ok(scanner.plain)
}

struct Scanner<'a> {
    rest: &'a str,
    /// is a semicolon or a dollar sign as good as any sign?
    is_any: bool,
    plain: Plain,
}

impl<'a> Scanner<'a> {
    /// Takes so many bytes into the text that is sent.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.plain.text.push_str(taken);
        self.rest = rest;
        taken
    }

    /// Goes past a comment.
    fn blank(&mut self, length: usize) {
        self.plain.text.push(' ');
        self.rest = &self.rest[length..];
    }

    fn token(&mut self, c: char) -> Result<(), Odd> {
        let rest = self.rest;
        match c {
            ' ' | '\t' | '\n' => drop(self.take(1)),
            '-' if rest.starts_with("--") => self.line_comment()?,
            '/' if rest.starts_with("/*") => self.blank(comment_length(rest).ok_or(Odd::Unfinished)?),
            '\'' => self.literal(0, false)?,
            'e' | 'E' if rest[1..].starts_with('\'') => self.literal(1, true)?,
            // a text whose escapes begin with a backslash, which quotes nothing
            'u' | 'U' if self.is_any && rest[1..].starts_with("&'") => {
                self.literal(2, false)?;
                self.plain.escapes = true;
            }
            'u' | 'U' if rest[1..].starts_with("&'") || rest[1..].starts_with("&\"") => {
                return Err(Odd::Ambiguous("a name or a text with Unicode escapes, U&"));
            }
            '"' => self.quoted_name()?,
            '$' => self.dollar_quoted()?,
            ';' if !self.is_any => return Err(Odd::Ambiguous("a semicolon within a statement")),
            '\\' | '`' => return Err(Odd::Ambiguous("a backslash or backtick outside quotes")),
            _ if c.is_alphabetic() || c == '_' => self.word()?,
            _ if c.is_ascii_graphic() => drop(self.take(1)),
            _ => return Err(Odd::Ambiguous("a character outside quotes that is no letter")),
        }
        Ok(())
    }

    /// PostgreSQL ends such a comment at a carriage return too, which others take for a part of it.
    fn line_comment(&mut self) -> Result<(), Odd> {
        let length = self.rest.find('\n').unwrap_or(self.rest.len());
        if self.rest[..length].contains('\r') {
            return Err(Odd::Ambiguous("a comment with a lone carriage return"));
        }
        self.blank(length);
        Ok(())
    }

    /// Between single quotes; `before`: a letter that stands before them.
    fn literal(&mut self, before: usize, escapes: bool) -> Result<(), Odd> {
        let length = quoted_length(&self.rest[before..], '\'', escapes).ok_or(Odd::Unfinished)?;
        let text = self.take(before + length);
        self.plain.escapes |= escapes && text.contains('\\');
        self.plain.literals.push(text[before + 1..before + length - 1].replace("''", "'"));
        Ok(())
    }

    fn quoted_name(&mut self) -> Result<(), Odd> {
        let length = quoted_length(self.rest, '"', false).ok_or(Odd::Unfinished)?;
        let is_first = !self.plain.text.ends_with('.');
        let name = self.take(length)[1..length - 1].replace("\"\"", "\"");
        self.qualifier(is_first, &name);
        self.plain.quoted.push(name);
        Ok(())
    }

    /// `$tag$ … $tag$`; `$1` has no place in most scripts.
    fn dollar_quoted(&mut self) -> Result<(), Odd> {
        let text = self.rest;
        if self.is_any && text[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.take(2);
            return Ok(());
        }
        let tag_end = text[1..].find('$').map(|at| at + 2).ok_or(Odd::Ambiguous("a dollar sign"))?;
        let tag = &text[..tag_end];
        let is_tag = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_digit = |c: char| c.is_ascii_digit();
        let name = &tag[1..tag_end - 1];
        if !name.chars().all(|c| is_tag(c) || is_digit(c)) || name.starts_with(is_digit) {
            return Err(Odd::Ambiguous("a dollar sign"));
        }
        let end = text[tag_end..].find(tag).ok_or(Odd::Unfinished)?;
        self.take(tag_end + end + tag.len());
        self.plain.literals.push(text[tag_end..tag_end + end].to_owned());
        Ok(())
    }

    fn word(&mut self) -> Result<(), Odd> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if !self.is_any && self.rest[..length].contains('$') {
            return Err(Odd::Ambiguous("a name with a dollar sign"));
        }
        let is_first = !self.plain.text.ends_with('.');
        let text = self.take(length).to_ascii_lowercase();
        self.qualifier(is_first, &text);
        let called = self.rest.trim_start().starts_with('(');
        self.plain.words.push(Word { text, called });
        Ok(())
    }

    /// Keeps a name that was read if a dot follows it, and none stands before it.
    fn qualifier(&mut self, is_first: bool, name: &str) {
        if is_first && self.rest.trim_start().starts_with('.') {
            self.plain.qualifiers.push(name.to_owned());
        }
    }
}

/// Bytes of the quoted text at the start; a quote that is written twice stands for itself.
fn quoted_length(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && escapes {
            chars.next()?;
        } else if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return Some(at + 1);
        }
    }
    None
}

/// Bytes of the comment at the start; such comments nest.
fn comment_length(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_u32);
    while at < text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Odd, read};

    #[test]
    fn comments_become_blanks() {
        for (sql, sent) in [
            ("select 1", "select 1"),
            ("drop -- x\ntable t", "drop  \ntable t"),
            ("drop /* a /* b */ ; */ table t", "drop   table t"),
            ("select '--', \"/*\", $$ -- $$, e'\\'--'", "select '--', \"/*\", $$ -- $$, e'\\'--'"),
            ("select 1\r\n, 2", "select 1\n, 2"),
            ("select 'it''s'", "select 'it''s'"),
        ] {
            assert_eq!(read(sql).map(|plain| plain.text), Ok(sent.to_owned()), "{sql}");
        }
    }

    #[test]
    fn words_and_literals() {
        let plain = read("SELECT nextval ('a.s'), \"Word\" FROM t WHERE b = $x$ y $x$").expect("one statement");
        let words: Vec<_> = plain.words.iter().map(|word| (word.text.as_str(), word.called)).collect();
        assert_eq!(
            words,
            [("select", false), ("nextval", true), ("from", false), ("t", false), ("where", false), ("b", false)]
        );
        assert_eq!(plain.literals, ["a.s", " y "]);
        let plain = read("select a.b.c, 1.5, d from \"S\" . t").expect("one statement");
        assert_eq!(plain.qualifiers, ["a", "S"]);
    }

    #[test]
    fn what_scanners_may_disagree_about() {
        for sql in [
            "select 1; drop table t",
            "select 1 -- x\rdrop table t",
            "select 1\rfrom t",
            "drop table U&\"pg\\005fclass\"",
            "select u&'x'",
            "select a$b$ from t",
            "select $1",
            "select\u{a0}1",
            "select\u{b}1",
            "select \\gexec",
            "select `1`",
        ] {
            assert!(matches!(read(sql), Err(Odd::Ambiguous(_))), "{sql:?}: {:?}", read(sql));
        }
        for sql in ["select 'a", "select \"a", "select /* a", "select $a$ b $$", "select e'a\\'"] {
            assert_eq!(read(sql), Err(Odd::Unfinished), "{sql}");
        }
    }
}
