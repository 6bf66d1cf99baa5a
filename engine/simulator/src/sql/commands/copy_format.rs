//! Lines of COPY taken apart into fields: text and csv (`CopyReadAttributesText`, `CopyReadAttributesCSV`,
//! src/backend/commands/copyfromparse.c).

use crate::sql::ast::CopyFormat;
use crate::sql::error::NOT_SIMULATED;
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
pub(super) fn fields(format: &CopyFormat, default: Option<&str>, line: &str) -> Result<Vec<Field>, SqlError> {
    match format {
        CopyFormat::Text { delimiter, null, .. } => {
            let field = |field: &str| match field {
                field if field == null => Ok(Field::Null),
                field if default == Some(field) => Ok(Field::Default),
                field => unescape(field).map(Field::Text),
            };
            split(line, *delimiter).into_iter().map(field).collect()
        }
        CopyFormat::Csv { delimiter, null, quote, .. } => csv(line, (*delimiter, *quote), null, default),
    }
}

/// A field of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// what stands for NULL
    Null,
    /// what stands for the column's default
    Default,
    /// a value
    Text(String),
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

fn csv(
    line: &str,
    (delimiter, quote): (char, char),
    null: &str,
    default: Option<&str>,
) -> Result<Vec<Field>, SqlError> {
    let (mut all, mut field, mut was_quoted, mut is_quoted) = (Vec::new(), String::new(), false, false);
    let mut chars = line.chars().peekable();
    let mut end = |field: &mut String, was_quoted: &mut bool| {
        let text = core::mem::take(field);
        let is_bare = !core::mem::take(was_quoted);
        all.push(match text {
            text if is_bare && text == null => Field::Null,
            text if is_bare && default == Some(&text[..]) => Field::Default,
            text => Field::Text(text),
        });
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

/// The text with what backslashes stand for: a control character, a byte as `\101` or `\x41`, or what follows.
fn unescape(field: &str) -> Result<String, SqlError> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let Some((escaped, after)) = rest.split_first() else {
            bytes.push(b'\\');
            break;
        };
        let (byte, length) = match escaped {
            b'n' => (b'\n', 0),
            b't' => (b'\t', 0),
            b'r' => (b'\r', 0),
            b'b' => (0x08, 0),
            b'f' => (0x0c, 0),
            b'v' => (0x0b, 0),
            b'0'..=b'7' => number(rest, 3, 8).map_or((*escaped, 0), |(byte, length)| (byte, length - 1)),
            b'x' => number(after, 2, 16).unwrap_or((b'x', 0)),
            other => (*other, 0),
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    let invalid = |_| SqlError::new(NOT_SIMULATED, "COPY of a byte that is no text of its own is not supported");
    String::from_utf8(bytes).map_err(invalid)
}

/// A byte of so many digits at most, and how many there are.
fn number(text: &[u8], most: usize, radix: u32) -> Option<(u8, usize)> {
    let digits = text.iter().take(most).map_while(|byte| char::from(*byte).to_digit(radix));
    let (value, length) = digits.fold((0, 0), |(value, length), digit| (value * radix + digit, length + 1));
    (length > 0).then_some((value as u8, length))
}

#[cfg(test)]
mod tests {
    use super::{Field, fields, lines};
    use crate::sql::ast::CopyFormat;
    use alloc::string::String;
    use alloc::vec::Vec;

    #[test]
    fn fields_of_csv() {
        let format = CopyFormat::Csv { header: true, delimiter: ',', null: String::new(), quote: '"' };
        let all = lines(&format, "a,b\n1,\"x, \"\"y\"\"\"\n,\"\"\n\"two\nlines\",3");
        let rows: Vec<_> = all.iter().map(|line| fields(&format, None, line).expect("closed")).collect();
        let some = |text: &str| Field::Text(String::from(text));
        assert_eq!(rows[0], [some("1"), some("x, \"y\"")]);
        assert_eq!(rows[1], [Field::Null, some("")]);
        assert_eq!(rows[2], [some("two\nlines"), some("3")]);
        assert!(fields(&format, None, "\"open").is_err());
    }

    #[test]
    fn fields_of_text() {
        let format = CopyFormat::Text { header: false, delimiter: '\t', null: String::from("\\N") };
        let row = fields(&format, Some("\\D"), "a\\tb\t\\N\t\\\\\t\\D").expect("fields");
        let [first, last] = ["a\tb", "\\"].map(|text| Field::Text(String::from(text)));
        assert_eq!(row, [first, Field::Null, last, Field::Default]);
    }
}
