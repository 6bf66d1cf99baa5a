//! How wide letters are, near enough: the reader's font is not known, so words get a little more room than most fonts
//! need.

use alloc::string::String;
use alloc::vec::Vec;

/// Width of a letter of 14 units in a proportional bold font, on the safe side.
const fn letter(letter: char) -> i32 {
    match letter {
        ' ' | '.' | ',' | ':' | ';' | '·' | '\'' | '|' | 'i' | 'l' | 'j' | '[' | ']' => 5,
        'f' | 't' | 'r' | 'I' | '-' | '(' | ')' => 6,
        'm' | 'w' | 'M' | 'W' | '→' | '−' | '…' | '∞' => 13,
        'A'..='Z' | '_' | '×' => 11,
        _ => 9,
    }
}

/// Width of a text.
pub(super) fn width(text: &str) -> i32 {
    text.chars().map(letter).sum()
}

/// At most so wide; what is cut ends in an ellipsis.
pub(super) fn fit(text: &str, room: i32) -> String {
    if width(text) <= room {
        return String::from(text);
    }
    let mut used = letter('…');
    let kept = text.chars().take_while(|c| {
        used += letter(*c);
        used <= room
    });
    let mut kept: String = kept.collect();
    if !kept.is_empty() {
        kept.push('…');
    }
    kept
}

/// Lines of at most this width, broken between words.
pub(super) fn wrap(text: &str, room: i32) -> Vec<String> {
    // running text has more narrow letters than labels have
    let letters = usize::try_from(room * 2 / 15).unwrap_or(0).max(16);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(String::from(word)),
        }
    }
    lines
}
