//! Values in SQL text: literals in definitions, and the labels of steps.

use super::crossed_out;
use alloc::string::String;

/// Commands of SQL that a label may begin with; of a label nothing else is kept.
const COMMANDS: [&str; 36] = [
    "ALTER INDEX",
    "ALTER TABLE",
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "CALL",
    "CHECKPOINT",
    "CLUSTER",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE INDEX",
    "CREATE TABLE",
    "CREATE UNIQUE INDEX",
    "CREATE",
    "DELETE",
    "DO",
    "DROP INDEX",
    "DROP TABLE",
    "DROP",
    "EXECUTE",
    "EXPLAIN",
    "FETCH",
    "GRANT",
    "INSERT",
    "LOCK",
    "MERGE",
    "REFRESH MATERIALIZED VIEW",
    "REINDEX",
    "ROLLBACK",
    "SELECT",
    "SET",
    "TRUNCATE",
    "UPDATE",
    "VACUUM",
    "WITH",
];

/// The command a label begins with, such as `UPDATE`; none where it begins with no command of SQL.
#[must_use]
pub fn command_tag(label: &str) -> Option<&'static str> {
    COMMANDS.into_iter().find(|command| {
        let mut words = label.split_whitespace();
        command.split(' ').all(|word| {
            let found = words.next().unwrap_or_default();
            found.trim_end_matches([';', '(', ',']).eq_ignore_ascii_case(word)
        })
    })
}

/// SQL as PostgreSQL deparses it, with literals crossed out: `WHERE (city = 'Oslo'::text) AND (id > 42)` becomes
/// `WHERE (city = 'xxxx'::text) AND (id > 00)`. Names are kept.
pub(super) fn without_literals(sql: &str) -> String {
    let mut out = String::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '\'' | '"' => quoted(rest, first),
            'a'..='z' | 'A'..='Z' | '_' | '0'..='9' => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        match first {
            '\'' => {
                out.push('\'');
                out.push_str(&crossed_out(token.trim_matches('\'')));
                out.push('\'');
            }
            '0'..='9' => out.extend(token.chars().map(|c| if c.is_ascii_digit() { '0' } else { c })),
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// Length of a quoted text with its quotes; a doubled quote is part of it.
fn quoted(text: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(close) = text[at..].find(quote) {
        at += close + 1;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_keep_names_and_lose_values() {
        for (sql, hidden) in [
            (
                "CREATE INDEX i1 ON t2 (md5(\"C 3\")) WHERE (id > 42)",
                "CREATE INDEX i1 ON t2 (md5(\"C 3\")) WHERE (id > 00)",
            ),
            ("a = 'it''s'::text AND \"q\"\"9\" < 1.5e7", "a = 'xxxxx'::text AND \"q\"\"9\" < 0.0e0"),
            ("E'\\\\n' = ANY ('{1,2}'::integer[])", "E'xxx' = ANY ('xxxxx'::integer[])"),
            ("ø = 'unterminated", "ø = 'xxxxxxxxxxxx'"),
        ] {
            assert_eq!(without_literals(sql), hidden);
        }
    }

    #[test]
    fn labels_keep_their_command() {
        for (label, tag) in [
            ("UPDATE city SET name = 'Oslo'", Some("UPDATE")),
            ("vacuum;", Some("VACUUM")),
            ("VACUUM (FREEZE) city", Some("VACUUM")),
            ("create unique index on city (name)", Some("CREATE UNIQUE INDEX")),
            ("  delete\nfrom city", Some("DELETE")),
            ("before Mr Smith's order", None),
            ("updated Oslo", None),
            ("", None),
        ] {
            assert_eq!(command_tag(label), tag, "{label}");
        }
    }
}
