//! What the environment says of the terminal: how many colours it has, whether it has other characters than ASCII, and
//! whether it can be drawn on at all.

use crate::theme::{Depth, to_ascii};
use std::io::Write;

/// A variable that is set, and not to nothing.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A terminal that knows lines of characters only: what is drawn on it would be seen as escape sequences.
#[must_use]
pub fn is_dumb(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("TERM").as_deref() == Some("dumb")
}

/// Does somebody want no colours, whatever the terminal has?
#[must_use]
pub fn wants_no_colors(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_some() || variable("CLICOLOR").as_deref() == Some("0")
}

/// How many colours the terminal has.
#[must_use]
pub fn depth(variable: impl Fn(&str) -> Option<String>) -> Depth {
    let term = variable("TERM").unwrap_or_default();
    match variable("COLORTERM").as_deref() {
        // COLORTERM is often inherited from another terminal, as in an editor's shell
        _ if term == "dumb" || term.ends_with("-mono") => Depth::None,
        Some("truecolor" | "24bit") => Depth::True,
        _ if term.is_empty() => Depth::None,
        _ if term.ends_with("-direct") => Depth::True,
        _ if term.contains("256color") => Depth::Indexed,
        _ => Depth::Sixteen,
    }
}

/// Is the locale one without Unicode? The first variable that is set decides, as in POSIX. Where none is, as in many
/// containers, the terminal is one that somebody looks at today, and has UTF-8.
#[must_use]
pub fn is_ascii(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// A sentence for a terminal without Unicode: its signs in ASCII, but names as they are.
#[must_use]
pub fn plain(sentence: &str) -> String {
    let sign = |c: char| match to_ascii(c) {
        '?' => c,
        sign => sign,
    };
    sentence.replace('…', "...").chars().map(sign).collect()
}

/// A sentence for people on standard error, beside what goes to standard output.
pub fn note(sentence: &str) {
    let plain = if is_ascii(variable) { plain(sentence) } else { sentence.to_owned() };
    // whoever closed standard error reads nothing
    let _ = writeln!(std::io::stderr(), "ffviz: {plain}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `NAME=VALUE`s, separated by blanks.
    fn of(set: &str) -> impl Fn(&str) -> Option<String> + Copy + '_ {
        move |name| set.split(' ').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    }

    #[test]
    fn colours() {
        let check = |set: &str, expected: Depth| assert_eq!(depth(of(set)), expected, "{set}");
        check("TERM=xterm-256color COLORTERM=truecolor", Depth::True);
        check("TERM=xterm-256color", Depth::Indexed);
        check("TERM=xterm", Depth::Sixteen);
        check("TERM=xterm-direct", Depth::True);
        check("TERM=dumb", Depth::None);
        check("TERM=dumb COLORTERM=truecolor", Depth::None);
        check("TERM=xterm-mono COLORTERM=24bit", Depth::None);
        check("COLORTERM=truecolor", Depth::True);
        check("", Depth::None);
        for (set, expected) in [("NO_COLOR=1", true), ("CLICOLOR=0", true), ("CLICOLOR=1", false), ("", false)] {
            assert_eq!(wants_no_colors(of(set)), expected, "{set}");
        }
    }

    #[test]
    fn characters() {
        let check = |set: &str, expected: bool| assert_eq!(is_ascii(of(set)), expected, "{set}");
        check("LC_ALL=C", true);
        check("LANG=C", true);
        check("LANG=POSIX", true);
        check("LC_CTYPE=de_DE.ISO-8859-1", true);
        check("LANG=en_US", true);
        check("LC_ALL=C LANG=en_US.UTF-8", true);
        check("LC_ALL=C.UTF-8 LANG=C", false);
        check("LC_CTYPE=en_US.utf8 LANG=C", false);
        check("LANG=de_DE.UTF-8@euro", false);
        check("LC_MESSAGES=C", false);
        check("", false);
        assert_eq!(plain("ü.sql: “ARRAY[…]” → 3 × 4"), "ü.sql: \"ARRAY[...]\" > 3 x 4");
    }
}
