//! The wall: whatever a script says, nothing changes on the server, and it never gets other rights than its role has.

use super::{decoys, errors, escapes, on};
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::instance::Instance;

/// Scripts that try to have a superuser's rights for the statement that they end with.
const BREAKERS: &[(&str, &str)] = &[
    ("set", "set session authorization postgres; TRY"),
    ("set, by its name", "set session_authorization to 'postgres'; TRY"),
    ("set, quoted", "set \"session_authorization\" = postgres; TRY"),
    ("set, with a comment", "set session /* x */ authorization postgres; TRY"),
    ("local", "begin; set local session authorization default; TRY"),
    ("reset", "reset session authorization; TRY"),
    ("reset all", "reset all; TRY"),
    ("discard", "discard all; TRY"),
    ("roles", "set role postgres; TRY"),
    ("roles, none", "set role none; reset role; TRY"),
    ("set_config", "select set_config('session_authorization', 'postgres', false); TRY"),
    ("set_config, computed", "select set_config('session_' || 'authorization', 'postgres', false); TRY"),
    ("pg_settings", "update pg_settings set setting = 'postgres' where name = 'session_authorization'; TRY"),
    ("a block", "do $$ begin set session authorization postgres; end $$; TRY"),
    ("a block that computes", "do $$ begin execute 'reset session ' || 'authorization'; end $$; TRY"),
    ("a block that commits", "do $$ begin execute 'reset session ' || 'authorization'; commit; end $$; TRY"),
    ("a block in another language", "do language plperl $$ spi_exec_query('reset session authorization') $$; TRY"),
    ("a block in pieces", "do 'begin exe'\n'cute ''reset session authorization''; end'; TRY"),
    ("a block with escapes", "do e'begin \\x65xecute ''reset session authorization''; commit; end'; TRY"),
    ("a block in a block", "do $$ begin do 'begin execute ''reset session authorization''; end'; end $$; TRY"),
    (
        "a function",
        "create function f() returns void language plpgsql as $$ begin reset session authorization; end $$; select f(); TRY",
    ),
    (
        "a function in SQL",
        "create function f() returns void language sql as 'reset session authorization'; select f(); TRY",
    ),
    (
        "a function that computes",
        "create function f() returns void language plpgsql as $$ begin execute concat('reset session ', 'authorization'); end $$; select f(); TRY",
    ),
    (
        "a function that a block makes",
        "do $$ begin execute 'create function f() returns void language plpgsql as ''begin reset session author' || 'ization; end'''; end $$; select f(); TRY",
    ),
    (
        "a function with a setting",
        "do $$ begin execute 'create function f() returns void language plpgsql set session_author' || 'ization = postgres as ''begin create role escaped; end'''; end $$; select f(); TRY",
    ),
    (
        "a function that is changed",
        "create function f() returns void language plpgsql as $$ begin execute 'reset session ' || 'authorization'; end $$; alter function f() security invoker; select f(); TRY",
    ),
    (
        "a function that is given a setting",
        "create function f() returns void language plpgsql as $$ begin create role escaped; end $$; do $$ begin execute 'alter function f() set session_author' || 'ization = postgres'; end $$; select f(); TRY",
    ),
    (
        "a procedure",
        "create procedure p() language plpgsql as $$ begin execute 'reset session ' || 'authorization'; commit; end $$; call p(); TRY",
    ),
    (
        "a view",
        "do $$ begin execute 'create view v as select set_' || 'config(''session_authorization'', ''postgres'', false)'; end $$; select * from v; TRY",
    ),
    (
        "a default",
        "do $$ begin execute 'create table t (a text default set_' || 'config(''session_authorization'', ''postgres'', false))'; end $$; insert into t default values; TRY",
    ),
    (
        "a trigger",
        "create table t (a int); create function f() returns trigger language plpgsql as $$ begin execute 'reset session ' || 'authorization'; return new; end $$; create trigger g before insert on t for each row execute function f(); insert into t values (1); TRY",
    ),
    (
        "a prepared statement",
        "prepare p as select set_config('session_authorization', 'postgres', false); execute p; TRY",
    ),
    (
        "query_to_xml",
        "select query_to_xml('select set_config(''session_authorization'', ''postgres'', false)', true, true, ''); TRY",
    ),
    (
        "quotes",
        "do $$ begin execute 'set standard_conforming_' || 'strings = off'; end $$; select '\\', '; reset session authorization; --'; TRY",
    ),
    ("quotes, plainly", "set standard_conforming_strings = off; select '\\', '; reset session authorization; --'; TRY"),
    ("an encoding", "set client_encoding = 'SJIS'; TRY"),
    (
        "a setting that is lent, among traps",
        "create function trap(text, text) returns bool language plpgsql as $$ begin create role escaped; return true; end $$; create operator public.= (leftarg = text, rightarg = text, procedure = trap); create function public.set_config(text, text, bool) returns text language plpgsql as $$ begin create role escaped; return ''; end $$; set search_path = public, pg_catalog; set wal_compression = on; select ffviz.setting('session_replication_role', 'replica', false); select ffviz.setting('session_authorization', 'postgres', false); TRY",
    ),
    ("the wall's own function", "select ffviz.perform('reset session authorization'); TRY"),
    (
        "the wall, changed",
        "alter function ffviz.perform(text) security invoker; select ffviz.perform('reset session authorization'); TRY",
    ),
    (
        "the wall, dropped",
        "drop event trigger ffviz_guard; drop function ffviz.guard() cascade; drop schema ffviz cascade; TRY",
    ),
    ("the wall, disabled", "alter event trigger ffviz_guard disable; TRY"),
    ("another language", "create extension plperl; create function f() returns void language plperl as 'x'; TRY"),
    (
        "another language, computed",
        "do $$ begin execute 'create exten' || 'sion plperl'; end $$; do language plperl $$ 1 $$; TRY",
    ),
    (
        "an extension among traps",
        "create function trap(text, text) returns bool language plpgsql as $$ begin create role escaped; return true; end $$; create operator public.= (leftarg = text, rightarg = text, procedure = trap); create extension citext; create extension hstore; TRY",
    ),
    (
        "C",
        "create function f(text, text, bool) returns text language internal as 'set_config_by_name'; select f('session_authorization', 'postgres', false); TRY",
    ),
    ("grants", "grant postgres to pg_monitor; set role postgres; TRY"),
    ("settings of the role", "alter role pg_monitor superuser; alter role pg_monitor set role = postgres; TRY"),
    (
        "settings of the database",
        "do $$ begin execute format('alter database %I set role = postgres', current_database()); end $$; TRY",
    ),
    (
        "a search path",
        "create schema s; create function s.lower(text) returns text language sql as 'select $1'; set search_path = s, pg_catalog; vacuum; TRY",
    ),
    (
        "an operator",
        "create function e(name, name) returns bool language plpgsql as $$ begin execute 'reset session ' || 'authorization'; return true; end $$; create operator public.= (leftarg = name, rightarg = name, procedure = e); set search_path = public, pg_catalog; create table t (a int); TRY",
    ),
    ("files", "select pg_read_file('postgresql.conf'); select lo_import('/etc/passwd'); select pg_ls_dir('.'); TRY"),
    (
        "sessions",
        "select pg_terminate_backend(pid), pg_cancel_backend(pid) from pg_stat_activity where pid <> pg_backend_pid(); TRY",
    ),
    ("slots", "select pg_create_physical_replication_slot('escaped'); TRY"),
    ("a prepared transaction", "begin; create table t (a int); prepare transaction 'escaped'; TRY"),
    (
        "rows of shared catalogs",
        "update pg_database set datname = 'x' where datname = 'postgres'; delete from pg_authid; TRY",
    ),
    ("locks on shared catalogs", "begin; lock table pg_database in access exclusive mode; lock table pg_authid; TRY"),
];

/// Would succeed for a superuser, and for nobody else.
const TRIES: [&str; 2] = [
    "do $$ begin execute 'create ro' || 'le escaped'; end $$",
    "select session_user, current_user, current_setting('is_superuser'), pg_has_role('pg_read_server_files', 'usage')",
];

struct Guarded {
    instance: Instance,
    client: postgres::Client,
    before: std::collections::BTreeMap<String, String>,
    /// scripts so far
    played: usize,
}

/// After how many scripts everything is looked at.
const EVERY: usize = 10;

impl Guarded {
    fn start(major: u32) -> Self {
        let instance = Instance::create(major, "max_prepared_transactions = 5\nwal_level = logical");
        let mut client = instance.client();
        client.batch_execute("CREATE EXTENSION pageinspect").expect("an extension");
        decoys::make(&mut client);
        let before = decoys::digests(&mut client, &instance.data());
        Self { instance, client, before, played: 0 }
    }

    fn nothing_changed(&mut self, what: &str) {
        let after = decoys::digests(&mut self.client, &self.instance.data());
        let changed = decoys::differences(&self.before, &after);
        assert!(changed.is_empty(), "{what}: {changed:?} changed");
    }

    /// Plays it; nothing may be otherwise, and whoever asked who it was is told of no superuser.
    fn holds(&mut self, what: &str, text: &str) -> String {
        let played = on(&self.instance.url("postgres"), text);
        // a look at everything takes longer than a script
        self.played += 1;
        if self.played.is_multiple_of(EVERY) {
            self.nothing_changed(&format!("{what}, or one of {EVERY} before: {played:?}"));
        }
        let Ok(played) = played else { return "refused".to_owned() };
        for line in &played.lines {
            let TraceLine::Statement(statement) = line else { continue };
            let Some(result) = statement.result.as_ref().filter(|_| statement.sql.contains("session_user")) else {
                continue;
            };
            let told: Vec<&str> = result.rows[0].iter().flatten().map(String::as_str).collect();
            assert_eq!(told, ["pg_monitor", "pg_monitor", "off", "f"], "{what}");
        }
        match played.stopped {
            Some(why) => format!("stopped: {why}"),
            None if errors(&played).is_empty() => "played".to_owned(),
            None => "refused by the server".to_owned(),
        }
    }
}

fn check(major: u32) {
    let mut guarded = Guarded::start(major);
    let escaped = guarded.instance.data().join("escaped").display().to_string();
    let mut told = std::collections::BTreeMap::<String, usize>::new();
    // those that concern the fence too: half of them on either version
    for (kind, sql) in escapes::ESCAPES.iter().skip(major as usize % 2).step_by(2) {
        *told.entry(guarded.holds(kind, &sql.replace("ESCAPED", &escaped))).or_default() += 1;
    }
    // what one version is not tried with the other is
    for (nth, (kind, sql)) in BREAKERS.iter().enumerate() {
        let attempt = TRIES[(nth + major as usize) % TRIES.len()];
        let fate = guarded.holds(kind, &sql.replace("TRY", attempt));
        *told.entry(format!("breakers: {}", fate.split(':').next().unwrap_or_default())).or_default() += 1;
    }
    guarded.nothing_changed("all of them");
    println!("{major}: {told:?}");
    let left = guarded.client.query("SELECT datname::text FROM pg_database WHERE datname LIKE 'ffviz%'", &[]);
    assert_eq!(left.expect("databases").len(), 0, "{major}: nothing is left");
}

#[test]
fn nothing_changes_v13() {
    check(13);
}

#[test]
fn nothing_changes_v18() {
    check(18);
}

/// What the test looks for is there when a superuser does it.
#[test]
fn a_superuser_would_be_seen() {
    let mut guarded = Guarded::start(18);
    guarded.client.batch_execute(TRIES[0]).expect("a superuser may");
    let after = decoys::digests(&mut guarded.client, &guarded.instance.data());
    assert_eq!(decoys::differences(&guarded.before, &after), ["pg_authid"]);
    let row = guarded.client.query_one(TRIES[1], &[]).expect("a row");
    assert_eq!(row.get::<_, &str>(2), "on");
}
