//! Lines of COPY taken apart into fields: text and csv (`CopyReadAttributesText`, `CopyReadAttributesCSV`,
//! src/backend/commands/copyfromparse.c).

use crate::sql::ast::CopyFormat;
use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// The rows' lines; in csv a line end within quotes is part of a field. A header is left out.
pub(super) fn lines(format: &CopyFormat, data: &str) -> VecDeque<String> {
    let CopyFormat::Csv { header, quote, .. } = format else {
        let skipped = usize::from(matches!(format, CopyFormat::Text { header: true, .. }));
        return data.lines().skip(skipped).map(ToString::to_string).collect();
    };
    let (mut all, mut line, mut is_quoted) = (VecDeque::new(), String::new(), false);
    for c in data.chars() {
        is_quoted ^= c == *quote;
        if c == '\n' && !is_quoted {
            let end = line.strip_suffix('\r').unwrap_or(&line).to_string();
            all.push_back(end);
            line.clear();
        } else {
            line.push(c);
        }
    }
    if !line.is_empty() {
        all.push_back(line);
    }
    if *header {
        all.pop_front();
    }
    all
}

/// The fields of a line; `None` is NULL.
///
/// # Errors
/// Quotes that are not closed.
pub(super) fn fields(format: &CopyFormat, line: &str) -> Result<Vec<Option<String>>, SqlError> {
    match format {
        CopyFormat::Text { delimiter, null, .. } => {
            let field = |field: &str| (field != null).then(|| unescape(field));
            Ok(split(line, *delimiter).into_iter().map(field).collect())
        }
        CopyFormat::Csv { delimiter, null, quote, .. } => csv(line, *delimiter, *quote, null),
    }
}

/// A delimiter behind a backslash is none.
fn split(line: &str, delimiter: char) -> Vec<&str> {
    let (mut all, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        if c == delimiter && !is_escaped {
            all.push(&line[start..at]);
            start = at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    all.push(&line[start..]);
    all
}

fn csv(line: &str, delimiter: char, quote: char, null: &str) -> Result<Vec<Option<String>>, SqlError> {
    let (mut all, mut field, mut was_quoted, mut is_quoted) = (Vec::new(), String::new(), false, false);
    let mut chars = line.chars().peekable();
    let mut end = |field: &mut String, was_quoted: &mut bool| {
        let text = core::mem::take(field);
        let is_null = !core::mem::take(was_quoted) && text == null;
        all.push((!is_null).then_some(text));
    };
    while let Some(c) = chars.next() {
        match c {
            c if c == quote && is_quoted && chars.peek() == Some(&quote) => {
                chars.next();
                field.push(quote);
            }
            c if c == quote => (is_quoted, was_quoted) = (!is_quoted, true),
            c if c == delimiter && !is_quoted => end(&mut field, &mut was_quoted),
            c => field.push(c),
        }
    }
    if is_quoted {
        return Err(SqlError::new("22P04", "unterminated CSV quoted field"));
    }
    end(&mut field, &mut was_quoted);
    Ok(all)
}

/// What stands after a backslash.
fn unescape(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('v') => '\u{b}',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{fields, lines};
    use crate::sql::ast::CopyFormat;
    use alloc::string::String;
    use alloc::vec::Vec;

    #[test]
    fn fields_of_csv() {
        let format = CopyFormat::Csv { header: true, delimiter: ',', null: String::new(), quote: '"' };
        let all = lines(&format, "a,b\n1,\"x, \"\"y\"\"\"\n,\"\"\n\"two\nlines\",3");
        let rows: Vec<_> = all.iter().map(|line| fields(&format, line).expect("closed")).collect();
        let some = |text: &str| Some(String::from(text));
        assert_eq!(rows[0], [some("1"), some("x, \"y\"")]);
        assert_eq!(rows[1], [None, some("")]);
        assert_eq!(rows[2], [some("two\nlines"), some("3")]);
        assert!(fields(&format, "\"open").is_err());
    }

    #[test]
    fn fields_of_text() {
        let format = CopyFormat::Text { header: false, delimiter: '\t', null: String::from("\\N") };
        let row = fields(&format, "a\\tb\t\\N\t\\\\").expect("fields");
        assert_eq!(row, [Some(String::from("a\tb")), None, Some(String::from("\\"))]);
    }
}
