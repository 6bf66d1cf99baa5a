//! LIKE: `%` any characters, `_` one, `\` takes its meaning from the next (`MatchText`,
//! src/backend/utils/adt/like_match.c).

use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};

/// Does the text match the pattern?
pub(super) fn like(text: &str, pattern: &str) -> Result<bool> {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut from) = (0, 0);
    // behind the last % that was passed, and what it has taken so far
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        let (is_match, width) = match pattern.get(from) {
            Some('%') => {
                retry = Some((from + 1, at));
                from += 1;
                continue;
            }
            Some('_') => (true, 1),
            Some('\\') => match pattern.get(from + 1) {
                Some(escaped) => (*escaped == text[at], 2),
                None => return Err(SqlError::new("22025", "LIKE pattern must not end with escape character")),
            },
            Some(other) => (*other == text[at], 1),
            None => (false, 0),
        };
        if is_match {
            (at, from) = (at + 1, from + width);
        } else if let Some((behind, taken)) = retry {
            retry = Some((behind, taken + 1));
            (at, from) = (taken + 1, behind);
        } else {
            return Ok(false);
        }
    }
    Ok(pattern[from.min(pattern.len())..].iter().all(|c| *c == '%'))
}
