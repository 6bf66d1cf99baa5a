//! What a script may not do to somebody's server, and which statements cannot be compared.

use ffviz_engine::sql::script::{Directive, Item, Script};
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose results are not the same twice. random() is, once the session has called setseed().
const VOLATILE: [&str; 12] = [
    "random",
    "gen_random_uuid",
    "uuidv4",
    "uuidv7",
    "now",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "timeofday",
    "current_timestamp",
    "localtimestamp",
    "pg_backend_pid",
];

/// Words of a statement in small letters, without what stands in quotes.
fn words(sql: &str) -> Vec<String> {
    let outside = sql.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
    let words = outside.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Why the script is not run.
///
/// # Errors
/// A sentence that names the line.
pub fn check(script: &Script, allow_server_wide: bool) -> Result<(), String> {
    for item in &script.items {
        let (line, what) = match item {
            Item::Directive { directive, line } if directive.is_crash() => {
                return Err(format!(
                    "line {line}: --@ crash stops the server, which ffviz verify does to nobody's; ffviz sim plays it"
                ));
            }
            Item::Directive { directive: Directive::Set { .. }, line } => (line, Some("--@ set")),
            Item::Directive { .. } => continue,
            Item::Statement(statement) => (&statement.line, server_wide(&words(&statement.sql))),
        };
        if let (Some(what), false) = (what, allow_server_wide) {
            return Err(format!(
                "line {line}: {what} concerns the whole server; if that may be, say --allow-server-wide"
            ));
        }
    }
    Ok(())
}

/// The words of a statement that the whole server notices.
fn server_wide(words: &[String]) -> Option<&'static str> {
    let starts = |with: &[&str]| words.len() >= with.len() && words.iter().zip(with).all(|(word, with)| word == with);
    if starts(&["alter", "system"]) {
        Some("ALTER SYSTEM")
    } else if starts(&["checkpoint"]) {
        Some("CHECKPOINT")
    } else {
        words.iter().any(|word| word == "pg_reload_conf").then_some("pg_reload_conf()")
    }
}

/// Numbers of the statements whose results are not the same twice, with the function that is the cause.
#[must_use]
pub fn not_comparable(script: &Script) -> BTreeMap<u32, String> {
    let mut seeded: BTreeSet<&str> = BTreeSet::new();
    let mut found = BTreeMap::new();
    for statement in script.statements() {
        let words = words(&statement.sql);
        if words.iter().any(|word| word == "setseed") {
            seeded.insert(&statement.session);
        }
        let is_seeded = seeded.contains(statement.session.as_str());
        let is_volatile = |word: &String| VOLATILE.contains(&word.as_str()) && !(word == "random" && is_seeded);
        if let Some(function) = words.iter().find(|word| is_volatile(word)) {
            found.insert(statement.n, function.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{check, not_comparable};
    use ffviz_engine::sql::script::Script;

    #[test]
    fn what_is_refused() {
        for (text, part) in [
            ("select 1;\n--@ crash", Some("line 2: --@ crash")),
            ("alter  system set a = 1", Some("ALTER SYSTEM")),
            ("Checkpoint", Some("CHECKPOINT")),
            ("select pg_reload_conf()", Some("pg_reload_conf()")),
            ("--@ set a 1", Some("--@ set")),
            ("select 'pg_reload_conf'; insert into checkpoint values (1)", None),
        ] {
            let script = Script::parse(text).expect("a script");
            let told = check(&script, false).err();
            assert_eq!(told.is_some(), part.is_some(), "{text}: {told:?}");
            assert!(told.is_none_or(|told| told.contains(part.unwrap_or_default())), "{text}");
            assert_eq!(check(&script, true).is_ok(), !text.contains("crash"));
        }
    }

    #[test]
    fn what_is_not_the_same_twice() {
        let text = "select random(); select 'now()'; select setseed(0.5); select random(); select now();\n--@ session B\nselect random();";
        let script = Script::parse(text).expect("a script");
        let found = not_comparable(&script);
        let found: Vec<_> = found.iter().map(|(n, function)| (*n, function.as_str())).collect();
        assert_eq!(found, [(1, "random"), (5, "now"), (6, "random")]);
    }
}
