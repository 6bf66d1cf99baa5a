//! psql's own commands, which begin with a backslash (src/bin/psql/command.c): what a script made for psql has of them
//! is passed over, and told.
//!
//! ```text
//!  \timing on              passed over
//!  \set n 1000             from here on :n is 1000
//!  select 1 as n \gset     ends the statement, as a semicolon does; from here on :n is what it gave
//!  select 1 \r             throws away what was read of it
//!  \q                      ends the script
//! ```

use alloc::format;
use alloc::string::String;

/// What a command does to the statement that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// nothing
    None,
    /// it sends it
    Sends,
    /// it throws it away
    Clears,
    /// it sends it, and nothing comes after it
    Ends,
}

/// `\timing`: the command without its arguments. `\;` is one, too.
pub(super) fn name(command: &str) -> &str {
    match command.get(1..2) {
        Some(sign @ (";" | "." | "!" | "?" | "\\")) => &command[..1 + sign.len()],
        _ => command.split_whitespace().next().unwrap_or(command),
    }
}

/// How many bytes a command at the start of the text has: it ends with its line, or where another one begins.
pub(super) fn length(text: &str) -> usize {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let whole_line = ["\\!", "\\copy", "\\h", "\\help", "\\ef", "\\ev", "\\sf", "\\sv"];
    let first = name(line);
    if first == "\\;" || first == "\\." {
        return first.len();
    }
    if whole_line.contains(&first) {
        return line.trim_end().len();
    }
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(c),
            // `\\` stands between a command and SQL on the same line
            (None, '\\') => return at + if line[at..].starts_with("\\\\") { 2 } else { 0 },
            _ => {}
        }
    }
    line.trim_end().len()
}

pub(super) fn effect(command: &str) -> Effect {
    match name(command) {
        "\\;" | "\\g" | "\\gx" | "\\gset" | "\\gexec" | "\\watch" | "\\crosstabview" => Effect::Sends,
        "\\r" | "\\reset" | "\\gdesc" => Effect::Clears,
        "\\q" | "\\quit" => Effect::Ends,
        _ => Effect::None,
    }
}

/// What is told of a command: that it was passed over, and what that means where it would have done more than change
/// psql's output.
#[must_use]
pub fn note(command: &str) -> String {
    let name = name(command);
    let more = match name {
        "\\i" | "\\ir" | "\\include" | "\\include_relative" => "; the file is not read",
        "\\c" | "\\connect" => "; the session stays (--@ session NAME is another)",
        "\\copy" => "; no row is loaded",
        "\\gexec" => "; what the query gives is not run",
        "\\prompt" => "; no variable is set",
        "\\watch" => "; the statement runs once",
        "\\gdesc" => ", and the statement that it would describe",
        "\\;" => "; the statements run one by one",
        "\\gset" => return String::from("psql's \\gset: followed"),
        "\\if" | "\\elif" | "\\else" | "\\endif" => return format!("psql's {name}: followed"),
        "\\set" => return String::from("psql's \\set: followed"),
        "\\unset" => return String::from("psql's \\unset: followed"),
        "\\q" | "\\quit" => return format!("psql's {name}: the script ends here"),
        _ => "",
    };
    format!("psql's {name}: skipped{more}")
}
