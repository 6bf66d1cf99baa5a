//! psql's variables: `\set name value`, and `:name`, `:'name'`, `:"name"` in SQL (`psql_get_variable`,
//! `StoreQueryTuple`, src/bin/psql/common.c). One that is not set stands as it is, as in psql.
//!
//! What `\gset` sets is known only when the script runs. So from the first `\gset` on a statement keeps its variables
//! until it is sent, and whoever sends it has followed all commands before it.

use super::backslash;
use super::split::token_length;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_story::timeline::ResultSet;

/// Variables that are set.
#[derive(Debug, Default)]
pub struct Variables {
    set: BTreeMap<String, String>,
    /// was there a `\gset`?
    waits: bool,
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
            (Some("\\gset"), _) => self.waits = true,
            _ => {}
        }
    }

    /// The same while a script runs; `last` is what the statement before the command gave. `\gset` takes the columns of
    /// a row that is the only one.
    pub fn follow_run(&mut self, command: &str, last: Option<&ResultSet>) {
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

    /// A variable at the start of the text, as far as the script itself tells of it.
    pub(super) fn at(&self, text: &str) -> Option<(usize, String)> {
        if self.waits { None } else { self.value_at(text) }
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
