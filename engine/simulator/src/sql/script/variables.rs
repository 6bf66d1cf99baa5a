//! psql's variables: `\set name value`, and `:name`, `:'name'`, `:"name"` in SQL (`psql_get_variable`,
//! `StoreQueryTuple`, src/bin/psql/common.c). One that is not set stands as it is, as in psql.
//!
//! What `\gset` sets is known only when the script runs, and with it which branch of an `\if` is taken. So from the
//! first `\gset` or `\if` on a statement keeps its variables until it is sent, and whoever sends it has followed all
//! commands before it.

use super::backslash;
use super::split::{semicolons, token_length};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_story::timeline::ResultSet;

/// Variables that are set.
#[derive(Debug, Default)]
pub struct Variables {
    set: BTreeMap<String, String>,
    /// was there a `\gset` or an `\if`?
    waits: bool,
    /// the `\if`s that are open, the outermost first
    branches: Vec<Branch>,
}

/// An `\if` that is open (`ifState`, src/fe_utils/conditional.c).
#[derive(Debug, Clone, Copy)]
struct Branch {
    /// is what stands here run?
    runs: bool,
    /// was a branch of it run, or can none be?
    is_done: bool,
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}

impl Variables {
    /// Follows `\set` and `\unset`.
    pub(super) fn follow(&mut self, command: &str) {
        let mut words = command.splitn(3, char::is_whitespace);
        match (words.next(), words.next()) {
            (Some("\\set"), Some(name)) if !name.is_empty() => {
                let value = self.value(words.next().unwrap_or_default());
                self.set.insert(name.to_string(), value);
            }
            (Some("\\unset"), Some(name)) => drop(self.set.remove(name)),
            (Some("\\gset" | "\\if"), _) => self.waits = true,
            _ => {}
        }
    }

    /// The same while a script runs; `last` is what the statement before the command gave. `\gset` takes the columns of
    /// a row that is the only one.
    pub fn follow_run(&mut self, command: &str, last: Option<&ResultSet>) {
        if self.follow_branch(command) || self.skips() {
            return;
        }
        self.follow(command);
        let mut words = command.split_whitespace();
        if words.next() != Some("\\gset") {
            return;
        }
        let prefix = words.next().unwrap_or_default();
        let Some((set, [row])) = last.filter(|set| set.count == 1).map(|set| (set, set.rows.as_slice())) else {
            return;
        };
        for (column, value) in set.columns.iter().zip(row) {
            let name = format!("{prefix}{column}");
            match value {
                Some(value) => drop(self.set.insert(name, value.clone())),
                None => drop(self.set.remove(&name)),
            }
        }
    }

    /// Does what stands here belong to a branch that is not taken?
    #[must_use]
    pub fn skips(&self) -> bool {
        self.branches.iter().any(|branch| !branch.runs)
    }

    /// `\if` and its like. Is it one?
    fn follow_branch(&mut self, command: &str) -> bool {
        let name = backslash::name(command);
        let condition = command.get(name.len()..).unwrap_or_default().trim();
        match (name, self.branches.last().copied()) {
            ("\\if", _) => {
                let runs = !self.skips() && self.is_true(condition);
                self.branches.push(Branch { runs, is_done: runs || self.skips() });
            }
            ("\\elif", Some(Branch { is_done, .. })) => {
                let runs = !is_done && self.is_true(condition);
                self.branches.pop();
                self.branches.push(Branch { runs, is_done: is_done || runs });
            }
            ("\\else", Some(Branch { is_done, .. })) => {
                self.branches.pop();
                self.branches.push(Branch { runs: !is_done, is_done: true });
            }
            ("\\endif", _) => drop(self.branches.pop()),
            ("\\elif" | "\\else", None) => {}
            _ => return false,
        }
        true
    }

    /// `is_true_boolean_expression`: a Boolean by its first letters; what is none is false.
    fn is_true(&self, condition: &str) -> bool {
        let exists = condition.strip_prefix(":{?").and_then(|name| name.strip_suffix('}'));
        if let Some(name) = exists {
            return self.set.contains_key(name);
        }
        let value = self.value(condition).to_ascii_lowercase();
        match value.as_str() {
            "" | "o" => false,
            "on" | "1" => true,
            value => "true".starts_with(value) || "yes".starts_with(value),
        }
    }

    /// A statement as it is sent, where that is another text than the script has.
    #[must_use]
    pub fn sent(&self, sql: &str) -> Option<String> {
        if !self.waits || !sql.contains(':') {
            return None;
        }
        let (mut sent, mut at) = (String::new(), 0);
        while let Some(c) = sql[at..].chars().next() {
            let rest = &sql[at..];
            let length = match self.value_at(rest) {
                Some((length, value)) => {
                    sent.push_str(&value);
                    at += length;
                    continue;
                }
                None if rest.starts_with("::") => 2,
                None => token_length(rest, c),
            };
            sent.push_str(&rest[..length]);
            at += length;
        }
        (sent != sql).then_some(sent)
    }

    /// Does the command keep what the statement before it gave?
    #[must_use]
    pub fn takes_rows(command: &str) -> bool {
        backslash::name(command) == "\\gset"
    }

    /// The arguments of `\set` after the name, one behind the other.
    fn value(&self, arguments: &str) -> String {
        let (mut value, mut at, mut quoted) = (String::new(), 0, false);
        while let Some(c) = arguments[at..].chars().next() {
            if let Some((length, text)) = self.value_at(&arguments[at..]).filter(|_| !quoted) {
                value.push_str(&text);
                at += length;
                continue;
            }
            match c {
                '\'' if quoted && arguments[at + 1..].starts_with('\'') => {
                    value.push(c);
                    at += 1;
                }
                '\'' => quoted = !quoted,
                _ if c.is_whitespace() && !quoted => {}
                _ => value.push(c),
            }
            at += c.len_utf8();
        }
        value
    }

    /// A variable at the start of the text, as far as the script itself tells of it. One that ends statements is none
    /// that a row was kept in.
    pub(super) fn at(&self, text: &str) -> Option<(usize, String)> {
        self.value_at(text).filter(|(_, value)| !self.waits || !semicolons(value).is_empty())
    }

    /// A variable at the start of the text: how many bytes it has, and what stands in its place.
    fn value_at(&self, text: &str) -> Option<(usize, String)> {
        let rest = text.strip_prefix(':')?;
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let name = quote.map_or(rest, |_| &rest[1..]);
        let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
        let value = self.set.get(name)?;
        let Some(quote) = quote else { return Some((1 + name.len(), value.clone())) };
        rest[1 + name.len()..].starts_with(quote).then(|| {
            let doubled = value.replace(quote, &format!("{quote}{quote}"));
            (3 + name.len(), format!("{quote}{doubled}{quote}"))
        })
    }
}
