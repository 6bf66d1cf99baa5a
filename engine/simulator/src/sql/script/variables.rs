//! psql's variables: `\set name value`, and `:name`, `:'name'`, `:"name"` in SQL (`psql_get_variable`,
//! src/bin/psql/common.c). One that is not set stands as it is, as in psql.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

/// Variables that are set.
#[derive(Debug, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}

impl Variables {
    /// Follows `\set` and `\unset`.
    pub fn follow(&mut self, command: &str) {
        let mut words = command.splitn(3, char::is_whitespace);
        match (words.next(), words.next()) {
            (Some("\\set"), Some(name)) if !name.is_empty() => {
                let value = self.value(words.next().unwrap_or_default());
                self.0.insert(name.to_string(), value);
            }
            (Some("\\unset"), Some(name)) => drop(self.0.remove(name)),
            _ => {}
        }
    }

    /// The arguments of `\set` after the name, one behind the other.
    fn value(&self, arguments: &str) -> String {
        let (mut value, mut at, mut quoted) = (String::new(), 0, false);
        while let Some(c) = arguments[at..].chars().next() {
            if let Some((length, text)) = self.at(&arguments[at..]).filter(|_| !quoted) {
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

    /// A variable at the start of the text: how many bytes it has, and what stands in its place.
    pub fn at(&self, text: &str) -> Option<(usize, String)> {
        let rest = text.strip_prefix(':')?;
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let name = quote.map_or(rest, |_| &rest[1..]);
        let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
        let value = self.0.get(name)?;
        let Some(quote) = quote else { return Some((1 + name.len(), value.clone())) };
        rest[1 + name.len()..].starts_with(quote).then(|| {
            let doubled = value.replace(quote, &format!("{quote}{quote}"));
            (3 + name.len(), format!("{quote}{doubled}{quote}"))
        })
    }
}
