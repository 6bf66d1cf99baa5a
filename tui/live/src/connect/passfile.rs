//! The password file: lines of `host:port:database:user:password`, `*` for any. Follows `passwordFromFile` of
//! src/interfaces/libpq/fe-connect.c; a file that others may read is not used.

use super::environment::Environment;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Whom a password is for.
#[derive(Debug, Clone, Copy)]
pub struct Account<'a> {
    /// host as said, or hostaddr; `localhost` for the default socket folder
    pub host: &'a str,
    /// port in digits
    pub port: &'a str,
    /// database
    pub dbname: &'a str,
    /// role
    pub user: &'a str,
}

/// The password, and a warning why a file was not used.
pub fn find(said: Option<&str>, environment: &Environment, account: Account<'_>) -> (Option<String>, Option<String>) {
    let Some(file) = said.map(PathBuf::from).or_else(|| environment.in_home(".pgpass")) else { return (None, None) };
    match open(&file) {
        Ok(text) => (text.lines().find_map(|line| matches(line, account)), None),
        Err(warning) => (None, warning),
    }
}

fn open(file: &Path) -> Result<String, Option<String>> {
    let facts = std::fs::metadata(file).map_err(|_| None)?;
    if !facts.is_file() {
        return Err(Some(format!("the password file {} is not a plain file and is not used", file.display())));
    }
    if facts.permissions().mode() & 0o077 != 0 {
        let name = file.display();
        return Err(Some(format!("the password file {name} can be read by others and is not used; chmod 0600 {name}")));
    }
    std::fs::read_to_string(file).map_err(|_| Some(format!("the password file {} cannot be read", file.display())))
}

/// The password of a line, if the line is for this account.
fn matches(line: &str, account: Account<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = Fields(line);
    for wanted in [account.host, account.port, account.dbname, account.user] {
        let (field, wild) = fields.next_field()?;
        if !wild && field != wanted {
            return None;
        }
    }
    let password = unescape(fields.0);
    (!password.is_empty()).then_some(password)
}

/// What is left of a line.
struct Fields<'a>(&'a str);

impl Fields<'_> {
    /// The text up to the next `:` that has no backslash before it, and whether it is a bare `*`.
    fn next_field(&mut self) -> Option<(String, bool)> {
        let mut escaped = false;
        let end = self.0.find(|c| {
            let here = c == ':' && !escaped;
            escaped = c == '\\' && !escaped;
            here
        })?;
        let (field, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Some((unescape(field), field == "*"))
    }
}

fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Account<'_> = Account { host: "h", port: "5432", dbname: "d:1", user: "me" };

    #[test]
    fn lines() {
        let yes = |line| matches(line, ME);
        assert_eq!(yes(r"h:5432:d\:1:me:secret").as_deref(), Some("secret"));
        assert_eq!(yes("*:*:*:*:a:b").as_deref(), Some("a:b"), "only the first four colons divide");
        assert_eq!(yes(r"*:*:*:me:a\\b\:c").as_deref(), Some(r"a\b:c"));
        for no in ["", "#*:*:*:*:x", "h:5433:*:*:x", "h:5432:d:me:x", "*:*:*:*:", "*:*:*", r"\*:*:*:*:x"] {
            assert_eq!(yes(no), None, "{no}");
        }
    }
}
