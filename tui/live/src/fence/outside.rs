//! What is said of a statement that ffviz cannot read: is it one that reaches beyond a script's own relations?
//!
//! Such a statement is never sent, whatever this file says. It decides only how that is told: the whole script is
//! refused, since what follows would mean something else without the statement; or the statement is left out and named.

use super::Reach;
use super::lexical::Plain;

/// What a statement reaches beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// a schema of the script's own
    Schema,
    /// a database of its own, too
    Database,
}

use Beyond::{Database, Schema};

/// Beginnings of statements, what they reach, and beyond what that is. A word in the place of `*` is any.
const STATEMENTS: [(&str, &str, Beyond); 36] = [
    ("alter system", "it changes settings of the whole server", Database),
    ("* language", "its functions could not be looked into", Database),
    ("set role", "it changes as whom the statements after it run", Schema),
    ("set session authorization", "it changes as whom the statements after it run", Database),
    ("set local role", "it changes as whom the statements after it run", Schema),
    ("set session role", "it changes as whom the statements after it run", Schema),
    ("reset role", "it changes as whom the statements after it run", Schema),
    ("reset session authorization", "it changes as whom the statements after it run", Database),
    ("drop owned", "it drops what a role has in the whole database", Database),
    ("reassign owned", "it changes whose everything in the database is", Database),
    ("create schema", "schemas are beyond the script's own", Schema),
    ("alter schema", "schemas are beyond the script's own", Schema),
    ("drop schema", "schemas are beyond the script's own", Schema),
    ("* extension", "extensions belong to the whole database", Database),
    ("* role", "roles belong to the whole server", Database),
    ("* user", "roles belong to the whole server", Database),
    ("* group", "roles belong to the whole server", Database),
    ("* database", "databases are beyond the script's own", Database),
    ("* tablespace", "tablespaces belong to the whole server", Database),
    ("* publication", "it changes what is replicated", Schema),
    ("* subscription", "it changes what is replicated", Database),
    ("* event trigger", "it runs at other people's statements", Database),
    ("* server", "it reaches other servers", Database),
    ("* foreign", "it reaches other servers", Database),
    ("import foreign", "it reaches other servers", Database),
    ("grant", "rights are given to roles of the whole server", Schema),
    ("revoke", "rights are taken from roles of the whole server", Schema),
    ("alter default", "it changes the rights of what others make", Schema),
    ("security label", "it changes what others may do", Database),
    ("load", "it loads a library into the server", Database),
    ("do", "ffviz cannot read what the block does", Schema),
    ("call", "ffviz cannot read what the procedure does", Schema),
    ("notify", "other sessions hear it", Schema),
    ("prepare transaction", "the transaction would outlive the script", Schema),
    ("commit prepared", "it ends somebody's transaction", Schema),
    ("rollback prepared", "it ends somebody's transaction", Schema),
];

/// Functions, by how their names begin, and what they reach.
const FUNCTIONS: [(&str, &str); 26] = [
    ("set_config", "it can change what the statements after it reach"),
    ("query_to_xml", "it runs a query that ffviz cannot read"),
    ("table_to_xml", "it reads any table"),
    ("schema_to_xml", "it reads any schema"),
    ("database_to_xml", "it reads the whole database"),
    ("cursor_to_xml", "it runs a query that ffviz cannot read"),
    ("ts_stat", "it runs a query that ffviz cannot read"),
    ("lo_", "large objects belong to the whole database"),
    ("dblink", "it reaches other servers"),
    ("currtid", "it reads any table"),
    ("brin_summarize", "it writes to any index"),
    ("brin_desummarize", "it writes to any index"),
    ("gin_clean", "it writes to any index"),
    ("pg_advisory", "other sessions wait for such a lock"),
    ("pg_try_advisory", "other sessions wait for such a lock"),
    ("pg_cancel", "it stops other people's statements"),
    ("pg_terminate", "it ends other people's sessions"),
    ("pg_create", "it makes what belongs to the whole server"),
    ("pg_drop", "it drops what belongs to the whole server"),
    ("pg_copy", "it makes what belongs to the whole server"),
    ("pg_replication", "it changes what is replicated"),
    ("pg_logical", "it changes what is replicated"),
    ("pg_promote", "the whole server notices"),
    ("pg_switch", "the whole server notices"),
    ("pg_stat_reset", "it resets statistics of the whole database"),
    ("pg_notify", "other sessions hear it"),
];

/// Words that make a function of a type that names relations; a literal beside them may name anybody's.
const NAMES: [&str; 8] =
    ["regclass", "regproc", "regtype", "regnamespace", "to_regclass", "nextval", "setval", "currval"];

/// Why the statement reaches beyond the script's own relations, if it does: what it is, and why.
#[must_use]
pub fn reaches(plain: &Plain, reach: Reach) -> Option<(String, String)> {
    let words: Vec<&str> = plain.words.iter().map(|word| word.text.as_str()).collect();
    let found = statement(&words).map(|(what, why, _)| (what, why));
    found.or_else(|| function(plain)).or_else(|| name(&words, &plain.literals)).or_else(|| schema(plain, reach))
}

/// The same where the script has a database of its own.
#[must_use]
pub fn reaches_beyond_database(plain: &Plain) -> Option<(String, String)> {
    let words: Vec<&str> = plain.words.iter().map(|word| word.text.as_str()).collect();
    statement(&words).filter(|(.., beyond)| *beyond == Database).map(|(what, why, _)| (what, why))
}

/// The words of CREATE, ALTER and DROP that say what; those of other statements as they are.
fn beginning<'a>(words: &[&'a str]) -> Vec<&'a str> {
    const HOW: [&str; 7] = ["or", "replace", "temp", "temporary", "trusted", "materialized", "recursive"];
    words.iter().copied().filter(|word| !HOW.contains(word)).take(3).collect()
}

fn statement(words: &[&str]) -> Option<(String, String, Beyond)> {
    let begin = beginning(words);
    let found = STATEMENTS.iter().find(|(pattern, ..)| {
        let pattern: Vec<&str> = pattern.split(' ').collect();
        let is_ddl = begin.first().is_some_and(|word| ["create", "alter", "drop"].contains(word));
        let fits = |(word, wanted): (&&str, &&str)| word == wanted || *wanted == "*" && is_ddl;
        begin.len() >= pattern.len() && begin.iter().zip(&pattern).all(fits)
    });
    if let Some((pattern, why, beyond)) = found {
        let told = begin[..pattern.split(' ').count()].join(" ");
        return Some((told.to_uppercase(), (*why).to_owned(), *beyond));
    }
    let has = |two: [&str; 2]| words.windows(2).any(|pair| pair == two);
    let first = begin.first().copied().unwrap_or_default();
    let (what, why, beyond) = match first {
        "create" if matches!(begin.get(1), Some(&("function" | "procedure"))) => {
            ("CREATE FUNCTION", "ffviz cannot read what the function does", Schema)
        }
        "alter" if has(["set", "schema"]) => ("ALTER … SET SCHEMA", "it moves things between schemas", Schema),
        "copy" if words.contains(&"program") => ("COPY … PROGRAM", "it runs a program on the server", Database),
        "copy" if !words.contains(&"stdin") && !words.contains(&"stdout") => {
            ("COPY with a file", "it reads or writes files of the server", Database)
        }
        "reindex" if is_of_more(words) => ("REINDEX of more than a table", "it takes what others have", Schema),
        "cluster" if words.len() == 1 => ("CLUSTER without a table", "it takes every table of the database", Schema),
        "vacuum" if is_without_table(words) => {
            ("VACUUM without a table", "it takes every table of the database", Schema)
        }
        _ => return None,
    };
    Some((what.to_owned(), why.to_owned(), beyond))
}

/// REINDEX of a schema, a database, or the catalogs.
fn is_of_more(words: &[&str]) -> bool {
    words.iter().skip(1).any(|word| ["schema", "database", "system"].contains(word))
}

/// VACUUM with options only.
fn is_without_table(words: &[&str]) -> bool {
    const OPTIONS: [&str; 7] = ["vacuum", "full", "freeze", "verbose", "analyze", "analyse", "on"];
    words.iter().all(|word| OPTIONS.contains(word))
}

/// A schema before a name. What stands before a dot and nowhere by itself is none of the statement's own relations
/// or aliases, as the `t` of `t.a` would be.
fn schema(plain: &Plain, reach: Reach) -> Option<(String, String)> {
    const KNOWN: [&str; 5] = ["pg_catalog", "information_schema", "excluded", "old", "new"];
    let times = |name: &str, among: &mut dyn Iterator<Item = &str>| among.filter(|other| *other == name).count();
    let stands_by_itself = |name: &str| {
        let names = plain.words.iter().map(|word| word.text.as_str());
        let qualifiers = &mut plain.qualifiers.iter().map(String::as_str);
        times(name, &mut names.chain(plain.quoted.iter().map(String::as_str))) > times(name, qualifiers)
    };
    let is_own = |name: &str| KNOWN.contains(&name) || reach.own_database && name == "public";
    let name = plain.qualifiers.iter().find(|name| !is_own(name) && !stands_by_itself(name))?;
    let why = "the script's relations are in a schema of its own, and have no other";
    Some((format!("the schema {name}"), why.to_owned()))
}

fn function(plain: &Plain) -> Option<(String, String)> {
    let called = plain.words.iter().filter(|word| word.called);
    called
        .filter_map(|word| FUNCTIONS.iter().find(|(begin, _)| word.text.starts_with(begin)).map(|(_, why)| (word, why)))
        .map(|(word, why)| (format!("{}()", word.text), (*why).to_owned()))
        .next()
}

/// A literal that names a relation of a schema, where the statement reads names from literals.
fn name(words: &[&str], literals: &[String]) -> Option<(String, String)> {
    if !words.iter().any(|word| NAMES.contains(word)) {
        return None;
    }
    let is_name = |text: &&String| {
        let parts: Vec<&str> = text.trim().split('.').collect();
        let is_part = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_\"$".contains(c));
        let is_number = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
        parts.len() > 1 && parts.iter().all(is_part) && !parts.iter().all(is_number)
    };
    let named = literals.iter().find(is_name)?;
    Some((format!("the name '{named}'"), "it may be in a schema of somebody else".to_owned()))
}
