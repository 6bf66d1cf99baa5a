//! The fence around a script that may say anything: a database of its own, with a wall that the server itself keeps.
//!
//! Nobody can read off an arbitrary script what it does: functions, DO blocks and dynamic SQL are texts that say what
//! they are when they run. So the first wall is not this file but **who** runs the script. Its sessions are those of
//! `pg_monitor`, a role that every server has, that nobody logs in as, and that owns nothing: by SET SESSION
//! AUTHORIZATION, in a database that was made for the script, in which this role may create things
//! (`script/wall.rs`). To PostgreSQL it is a stranger. It refuses it by itself, whatever way it is asked: roles,
//! databases, tablespaces, subscriptions, slots, ALTER SYSTEM, CHECKPOINT, files and programs of the server, other
//! people's sessions, languages that reach further than SQL, rows of shared catalogs.
//!
//! What is left is to see to it that the script stays that role. Who logged in as a superuser can become one again,
//! by SET SESSION AUTHORIZATION or RESET, DISCARD ALL, or `set_config`. Hence:
//!
//! - **What is written** is read word by word here: a statement with these words, wherever in it, is not sent.
//! - **What is computed** runs where PostgreSQL refuses such a change: within a SECURITY DEFINER function. A DO block
//!   with EXECUTE is sent through one; an event trigger makes one of every function with EXECUTE, whoever created it
//!   and how (`sql/script/wall.sql`), and lets no other language than SQL and PL/pgSQL in.
//! - `set_config`, `pg_terminate_backend` and `pg_cancel_backend` are taken from everybody in that database; a view
//!   or a default that a computed statement made cannot call them either.
//! - How quotes are read (`standard_conforming_strings`, `client_encoding`) stays as this file reads them.
//! - Before each statement its session is asked who it is and how it reads quotes; where that is not as it was, nothing
//!   more is sent.
//!
//! A few settings that are for superusers, and change only what a session writes and counts, are lent
//! (`ffviz.setting`). Extensions that stay inside a database are on a list (`lists.rs`), and made by ffviz; CHECKPOINT
//! is done by ffviz, if `--allow-server-wide` says so. What reaches beyond is refused before anything is sent, so that
//! a script does not stop in its middle where that can be told before.
//!
//! What remains: a script takes time, memory and connections of the server; the space of the disk is bounded by
//! `--disk`, looked at each second. To make and drop a database makes the server checkpoint. Shared catalogs can be
//! read as far as anybody may. And pageinspect's functions believe that they are given a page: bytes that are written
//! out in the script are refused, those that it computes are not.

use super::lexical::{self, Odd, Plain};
use super::lists::{EXTENSIONS, LENT_SETTINGS, is_inspection};
use super::{Admitted, admit_directive, outside};
use ffviz_simulator::sql::script::{Directive, Item, Script, Statement, Variables};
use std::collections::BTreeMap;

/// What is done about a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// this text is sent
    Send(String),
    /// this DO block is sent, through the function that lets nobody change who they are
    Perform(String),
    /// ffviz makes this extension
    Extension {
        /// its name
        name: String,
        /// where
        schema: String,
        /// is it well where it is there already?
        if_not_exists: bool,
    },
    /// ffviz lets the server checkpoint
    Checkpoint,
    /// nothing is sent; why, a phrase
    LeaveOut(String),
}

/// A script that may be sent to a database with a wall around it, or to a schema where each of its statements was read.
#[derive(Debug, Clone)]
pub struct Walled {
    script: Script,
    errands: BTreeMap<u32, Errand>,
    /// behind the wall: may it make the server checkpoint? Of a schema: nothing
    server_wide: Option<bool>,
}

/// What may be sent of a script to a database of its own.
///
/// # Errors
/// A sentence that names the line: why nothing of it is.
pub fn admit_walled(script: &Script, server_wide: bool) -> Result<Walled, String> {
    let mut errands = BTreeMap::new();
    for item in &script.items {
        match item {
            Item::Statement(statement) => {
                let errand =
                    errand(&statement.sql, server_wide).map_err(|why| format!("line {}: {why}", statement.line))?;
                errands.insert(statement.n, errand);
            }
            Item::Directive { directive, line } => {
                directive_stays(directive).map_err(|why| format!("line {line}: {why}"))?;
            }
        }
    }
    Ok(Walled { script: script.clone(), errands, server_wide: Some(server_wide) })
}

/// Directives that are for the simulator alone do nothing on a server; those that would do something are refused.
fn directive_stays(directive: &Directive) -> Result<(), String> {
    match directive {
        Directive::Set { name, .. } => Err(format!(
            "--@ set {name} concerns the whole server, whose settings ffviz leaves as they are; SET in the script changes those of a session"
        )),
        directive => admit_directive(directive, super::Reach::default()),
    }
}

fn errand(sql: &str, server_wide: bool) -> Result<Errand, String> {
    let plain = match lexical::read_any(sql) {
        Ok(plain) => plain,
        Err(Odd::Unfinished) => return Ok(Errand::LeaveOut("it ends within a quote or a comment".to_owned())),
        Err(Odd::Ambiguous(what)) => {
            return Err(format!("{what} may be read otherwise by the server; write it plainly"));
        }
    };
    let words: Vec<&str> = plain.words.iter().map(|word| word.text.as_str()).collect();
    if let Some(what) = becomes_another(&plain, &words) {
        return Ok(Errand::LeaveOut(format!("{what} would change whose rights the statements after it have")));
    }
    reads_alike(&plain, &words)?;
    match words.as_slice() {
        ["do", ..] => return block(&plain, &words),
        ["create", "extension", name @ ..] => return extension(&plain, name),
        ["checkpoint", ..] if server_wide => return Ok(Errand::Checkpoint),
        ["checkpoint", ..] => {
            let why = "CHECKPOINT concerns the whole server; if that may be, say --allow-server-wide";
            return Ok(Errand::LeaveOut(why.to_owned()));
        }
        ["set", "local" | "session", setting, ..] | ["set", setting, ..] if LENT_SETTINGS.contains(setting) => {
            return lent_setting(&plain, &words, setting);
        }
        ["select", .., "set_config", _] => {
            if let Some(set) = set_instead(&plain, &words) {
                return Ok(Errand::Send(set));
            }
        }
        _ => {}
    }
    if let Some((what, why)) = outside::reaches_beyond_database(&plain) {
        return Err(format!("{what} reaches beyond the script's own database: {why}; take it out of the script"));
    }
    pageinspect_reads_pages(&plain)?;
    Ok(Errand::Send(plain.text.trim_end().to_owned()))
}

/// What in a statement would change whose rights the session has.
fn becomes_another(plain: &Plain, words: &[&str]) -> Option<&'static str> {
    let names = || words.iter().copied().chain(plain.quoted.iter().map(String::as_str));
    if words.windows(2).any(|two| two == ["session", "authorization"]) {
        return Some("SESSION AUTHORIZATION");
    }
    if names().any(|name| name.eq_ignore_ascii_case("session_authorization")) {
        return Some("session_authorization");
    }
    words.starts_with(&["discard", "all"]).then_some("DISCARD ALL")
}

/// Do texts after the statement mean what they meant before?
fn reads_alike(plain: &Plain, words: &[&str]) -> Result<(), String> {
    let names = || words.iter().copied().chain(plain.quoted.iter().map(String::as_str));
    let value = || words.last().copied().into_iter().chain(plain.literals.iter().map(String::as_str));
    let says = |wanted: &[&str]| value().any(|value| wanted.iter().any(|word| value.eq_ignore_ascii_case(word)));
    let sets = words.first().is_some_and(|word| *word == "set");
    let of = |setting: &str| names().any(|name| name.eq_ignore_ascii_case(setting));
    if sets && of("standard_conforming_strings") && !says(&["on", "true", "1", "yes"]) {
        return Err("standard_conforming_strings stays on: ffviz reads texts so before it sends them".to_owned());
    }
    if sets && (of("client_encoding") || of("names")) && !says(&["utf8", "utf-8", "unicode"]) {
        return Err("client_encoding stays UTF8: ffviz sends the script so".to_owned());
    }
    Ok(())
}

/// A DO block; what it does is PL/pgSQL in a text.
fn block(plain: &Plain, words: &[&str]) -> Result<Errand, String> {
    let sent = plain.text.trim_end().to_owned();
    let is_plain = words.iter().all(|word| ["do", "language", "plpgsql"].contains(word)) && plain.quoted.is_empty();
    let ([body], true, false) = (plain.literals.as_slice(), is_plain, plain.escapes) else {
        return Err("a DO block is sent to a server in this form only: DO $$ … $$, in PL/pgSQL".to_owned());
    };
    let (is_computed, ends_transactions) = match lexical::read_any(body) {
        Ok(inner) => {
            let has = |wanted: &[&str]| inner.words.iter().any(|word| wanted.contains(&word.text.as_str()));
            let doubtful = has(&["execute", "do", "authorization", "session_authorization"]);
            (doubtful || !inner.quoted.is_empty(), has(&["commit", "rollback"]))
        }
        Err(_) => (true, body.to_ascii_lowercase().contains("commit")),
    };
    match (is_computed, ends_transactions) {
        (true, true) => Err("a DO block with COMMIT or ROLLBACK is sent to a server without EXECUTE, DO and quoted names only: what it \
             computes has to run where nobody can change whose rights it has, and there no transaction ends"
            .to_owned()),
        (true, false) => Ok(Errand::Perform(sent)),
        (false, _) => Ok(Errand::Send(sent)),
    }
}

/// `CREATE EXTENSION [IF NOT EXISTS] name [WITH] [SCHEMA schema] …`; the words begin behind EXTENSION.
fn extension(plain: &Plain, words: &[&str]) -> Result<Errand, String> {
    let if_not_exists = words.starts_with(&["if", "not", "exists"]);
    let words = if if_not_exists { &words[3..] } else { words };
    let mut quoted = plain.quoted.iter().map(String::as_str);
    // a quoted name leaves no word
    let is_option = |word: &str| ["with", "schema", "version", "cascade"].contains(&word);
    let name = match words.first() {
        Some(word) if !is_option(word) => *word,
        _ => quoted.next().unwrap_or_default(),
    };
    let schema = match words.iter().position(|word| *word == "schema") {
        Some(at) => words.get(at + 1).filter(|word| !is_option(word)).copied().or_else(|| quoted.next()),
        None => None,
    };
    if !EXTENSIONS.contains(&name) && !is_inspection(name) {
        return Err(format!(
            "extension {name} is not on the list of those that stay inside a database; take it out of the script, or use a server of your own by hand"
        ));
    }
    let (name, schema) = (name.to_owned(), schema.unwrap_or("public").to_owned());
    Ok(Errand::Extension { name, schema, if_not_exists })
}

/// `SET name = value` of a setting that is for superusers, and lent.
fn lent_setting(plain: &Plain, words: &[&str], setting: &str) -> Result<Errand, String> {
    let behind = words.iter().skip_while(|word| **word != setting).skip(1).filter(|word| **word != "to");
    let texts =
        behind.copied().chain(plain.literals.iter().map(String::as_str)).chain(plain.quoted.iter().map(String::as_str));
    match texts.collect::<Vec<_>>().as_slice() {
        [value] if !plain.escapes => {
            let is_local = words.get(1) == Some(&"local");
            let value = value.replace('\'', "''");
            Ok(Errand::Send(format!("SELECT ffviz.setting('{setting}', '{value}', {is_local})")))
        }
        _ => Err(format!("SET {setting} is sent to a server in this form only: SET {setting} = 'value'")),
    }
}

/// `SELECT set_config('name', 'value', false)`, as pg_dump writes it, as a SET: nobody may call the function.
fn set_instead(plain: &Plain, words: &[&str]) -> Option<String> {
    let scope = match words {
        ["select", "set_config", scope] | ["select", "pg_catalog", "set_config", scope] => *scope,
        _ => return None,
    };
    let [name, value] = plain.literals.as_slice() else { return None };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let identity = ["session_authorization", "standard_conforming_strings", "client_encoding"];
    if plain.escapes || !is_name || identity.iter().any(|other| name.eq_ignore_ascii_case(other)) {
        return None;
    }
    let local = if scope == "true" { "LOCAL " } else { "" };
    Some(format!("SET {local}{name} TO '{}'", value.replace('\'', "''")))
}

/// pageinspect's functions take bytes for a page; only what `get_raw_page` gives is one.
fn pageinspect_reads_pages(plain: &Plain) -> Result<(), String> {
    const OF_BYTES: [&str; 14] = [
        "page_header",
        "page_checksum",
        "fsm_page_contents",
        "heap_page_items",
        "heap_page_item_attrs",
        "bt_page_items",
        "brin_page_type",
        "brin_metapage_info",
        "brin_revmap_data",
        "brin_page_items",
        "gin_metapage_info",
        "gin_page_opaque_info",
        "gin_leafpage_items",
        "gist_page_items",
    ];
    let mut calls = plain.words.iter().filter(|word| word.called);
    let bad = calls.find(|word| OF_BYTES.contains(&word.text.as_str()) && plain.literals.iter().any(|l| is_bytes(l)));
    bad.map_or(Ok(()), |word| {
        Err(format!(
            "{}() of bytes that are written out may harm the server; give it what get_raw_page() gives",
            word.text
        ))
    })
}

/// Is it a text that could be bytes of a page?
fn is_bytes(literal: &str) -> bool {
    literal.starts_with("\\x") || literal.len() > 200
}

impl Walled {
    /// A script that runs in a schema of somebody's database: what the fence lets through there, and nothing else.
    #[must_use]
    pub fn of_schema(script: &Script, admitted: &Admitted) -> Self {
        let sent = admitted.script().statements().map(|it| (it.n, Errand::Send(it.sql.clone())));
        let left = admitted.left_out().iter().map(|left| (left.n, Errand::LeaveOut(left.why.clone())));
        Self { script: script.clone(), errands: sent.chain(left).collect(), server_wide: None }
    }

    /// The script as it was written.
    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// What is done about the statement of that number.
    #[must_use]
    pub fn errand(&self, n: u32) -> Errand {
        self.errands.get(&n).cloned().unwrap_or_else(|| Errand::LeaveOut("it was not read".to_owned()))
    }

    /// The same of a statement with what variables are that a row has set: behind the wall it is read again; in a
    /// schema it stays as it was read.
    #[must_use]
    pub fn errand_with(&self, statement: &Statement, variables: &Variables) -> Errand {
        match (self.server_wide, variables.sent(&statement.sql)) {
            (Some(server_wide), Some(sql)) => errand(&sql, server_wide).unwrap_or_else(Errand::LeaveOut),
            _ => self.errand(statement.n),
        }
    }
}
