//! How a statement stands in its script: which session it is of, and where it is wrong.

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// What a script says of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Written {
    /// the session that runs it; empty where it is not known
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// where it is wrong, if that is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// the error's line HINT, if it has one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Written {
    /// Is nothing known?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.session.is_empty() && self.wrong.is_none() && self.hint.is_none()
    }
}

/// A place in a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// line of the script, from 1
    pub line: u32,
    /// what of it belongs to the statement
    pub text: String,
    /// character of that text, from 1
    pub column: u32,
}

impl Wrong {
    /// A place in a statement's text, which begins in that line of the script; line and column are from 1.
    #[must_use]
    pub fn new(sql: &str, (line, column): (u32, u32), first: u32) -> Option<Self> {
        let text = sql.lines().nth(line.checked_sub(1)? as usize)?;
        Some(Self { line: first + line - 1, text: String::from(text), column })
    }
}

/// Between a session and the statement with which it goes on, once another one has let it.
const GOES_ON: &str = " goes on: ";

/// Steps of a statement that had waited are steps of the one that let it go on; this says whose they are.
#[must_use]
pub fn goes_on(session: &str, sql: &str) -> String {
    format!("session {session}{GOES_ON}{sql}")
}

/// The session that [`goes_on`] names, where it has said this.
#[must_use]
pub fn who_goes_on(within: &str) -> Option<&str> {
    within.strip_prefix("session ")?.split_once(GOES_ON).map(|(session, _)| session)
}

/// Between a statement and what does something while it runs, in `Timeline::within`.
pub const CALLS: &str = " › ";

/// How a trigger is named that does something while a statement runs.
#[must_use]
pub fn trigger(name: &str, table: &str) -> String {
    format!("trigger {name} of {table}")
}

/// How a foreign key is named that does something: `what` is `cascade`, `SET NULL`, `SET DEFAULT` or `check`.
#[must_use]
pub fn foreign_key(what: &str, name: &str) -> String {
    format!("{what} of foreign key {name}")
}

/// What [`foreign_key`] begins with.
const KEY_DOES: [&str; 4] =
    ["cascade of foreign key ", "SET NULL of foreign key ", "SET DEFAULT of foreign key ", "check of foreign key "];

/// The trigger, foreign key or function that does what is done within a statement: the innermost, though a trigger
/// rather than the function that it calls.
#[must_use]
pub fn who_did(within: &str) -> Option<String> {
    let names = || within.rsplit(CALLS);
    let is_key = |name: &&str| KEY_DOES.iter().any(|what| name.starts_with(what));
    if let Some(name) = names().find(|name| name.starts_with("trigger ") || is_key(name)) {
        // whose trigger it is, the statement says
        let short = name.strip_prefix("trigger ").and_then(|name| name.rsplit_once(" of ")).map(|(name, _)| name);
        return Some(short.map_or_else(|| String::from(name), |name| format!("trigger {name}")));
    }
    let function = names().find(|name| name.ends_with("()") && !name.contains(' '));
    function.map(|name| format!("function {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_trigger_or_key_did_it_else_the_function() {
        let within = |names: &[&str]| who_did(&names.join(CALLS));
        let [t, key] = [trigger("t", "a"), foreign_key("cascade", "f")];
        assert_eq!(within(&[&t, "note()", "INSERT INTO log VALUES (1)"]).as_deref(), Some("trigger t"));
        assert_eq!(within(&["DELETE FROM x", &key]).as_deref(), Some("cascade of foreign key f"));
        assert_eq!(within(&[&key, &trigger("t", "x"), "f()"]).as_deref(), Some("trigger t"));
        assert_eq!(within(&["f()", "PERFORM g()"]).as_deref(), Some("function f()"));
        assert_eq!(within(&["session B goes on: UPDATE t SET a = 'check of foreign key f'"]), None);
    }
}
