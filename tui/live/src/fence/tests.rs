//! What the fence lets through, leaves out and refuses.

use super::{Errand, Reach, admit, admit_walled};
use ffviz_simulator::sql::script::Script;

/// How many statements are sent and left out, or the refusal.
fn fate(text: &str, reach: Reach) -> Result<(usize, usize), String> {
    let script = Script::parse(text).expect("a script");
    admit(&script, reach).map(|admitted| (admitted.script().statements().count(), admitted.left_out().len()))
}

const SCHEMA: Reach = Reach { own_database: false, server_wide: false };

#[test]
fn what_is_sent() {
    for sql in [
        "create table t (a int primary key, b text default 'x', c int references t)",
        "drop table if exists orders",
        "insert into t select g, repeat('x', 10) from generate_series(1, 10) g on conflict (a) do nothing returning a",
        "select count(*), nextval('s') from t where b = 'public.t' for update",
        "select setval('\"S\"', 7, false)",
        "create index on t (lower(b)) where a > abs(-1)",
        "do $$ begin for i in 1..3 loop insert into t values (i, 'x'); commit; end loop; end $$",
        "do language plpgsql $$ declare n int; begin select a into n from t; if n > 1 then delete from t; end if; end $$",
        "vacuum (freeze) t",
        "analyze t",
        "reindex table t",
        "set work_mem = '1MB'",
        "set enable_seqscan = off",
        "reset all",
        "begin isolation level serializable",
        "alter sequence s owned by t.a",
        "create view w as select a, count(*) from t group by a",
        "drop view if exists w",
        "prepare p as update t set b = null where a = 1",
        "execute p",
        "declare c cursor for select a from t",
        "fetch 3 from c",
        "copy t to stdout",
        "update t set b = s.b from s where s.a = t.a",
        "delete from t using s where s.a = t.a",
        "merge into t using s on t.a = s.a when matched then update set b = s.b",
        "explain (costs off) select * from t",
        "lock table t",
        "alter table t owner to current_user",
        "select pg_catalog.abs(-1)",
    ] {
        assert_eq!(fate(sql, SCHEMA), Ok((1, 0)), "{sql}");
    }
    assert_eq!(fate("select * from public.t", Reach { own_database: true, ..SCHEMA }), Ok((1, 0)));
}

#[test]
fn what_is_left_out() {
    for sql in [
        "select * from pg_class",
        "select relname from pg_catalog.pg_class",
        "select * from heap_page_items(get_raw_page('t', 0))",
        "create rule r as on insert to t do also insert into log values (new.a)",
        "create aggregate a (int) (sfunc = int4pl, stype = int)",
        "drop function f",
        "grant all on t to public",
        "grant select (a), update on t to pg_monitor with grant option",
        "grant usage on schema public to pg_monitor",
        "grant select on all tables in schema public to pg_monitor",
        "revoke execute on function f() from public cascade",
        "selec 1",
        "select 'unfinished",
        "set track_io_timing = on",
        "notify x",
        "alter table t owner to someone",
    ] {
        assert_eq!(fate(sql, SCHEMA), Ok((0, 1)), "{sql}");
    }
}

/// Statements for whose sake nothing of a script is sent.
const REFUSED: &[&str] = &[
    "create domain d as int",
    // names of other schemas and of PostgreSQL itself
    "drop table public.orders",
    "insert into other.t values (1)",
    "select * from public.t",
    "create table t (a int references public.orders)",
    "create temp table t (a int)",
    "create temporary table t on commit drop as select 1",
    "create table pg_temp.t (a int)",
    "create sequence s owned by public.t.a",
    "delete from pg_class",
    "update pg_catalog.pg_class set relname = relname",
    "drop index pg_class_oid_index",
    "select * from pg_class for update",
    "explain (costs off) delete from public.t",
    "do $$ begin for i in 1..3 loop delete from public.t; end loop; end $$",
    "create view public.w as select 1",
    "create view w as select * from public.t",
    "create view w as select set_config('search_path', 'public', false)",
    "drop view public.w",
    "prepare p as delete from public.t",
    "execute p (nextval('public.s'))",
    "declare c cursor for select * from public.t",
    "copy public.t to stdout",
    "update t set b = s.b from public.s where s.a = t.a",
    "delete from t using public.s where s.a = t.a",
    "drop schema s",
    // the same in what ffviz cannot read
    "cluster public.orders using orders_pkey",
    "refresh materialized view public.v",
    "create table x (m public.mood)",
    "explain (analyze, buffers) delete from public.t",
    "merge into public.t using s on t.a = s.a when matched then do nothing",
    "merge into t using \"S\".s on t.a = s.a when matched then do nothing",
    "alter table t attach partition public.p default",
    // names in literals
    "select to_regclass('public.t')",
    "select setval('public.s', 1)",
    "select nextval('\"public\".\"s\"')",
    "select nextval('public' || '.s')",
    "select nextval('16384')",
    "create table t (a int default nextval('public.s'))",
    "insert into t values (1) on conflict (a) do update set a = nextval('other.s')",
    "select 'public.t'::regclass",
    "select nextval('public.s'::regclass)",
    // functions of somebody who gave them a known name
    "select public.abs(1)",
    "select * from public.generate_series(1, 2)",
    "create table t (a int default public.abs(-1))",
    "create table t (a int check (other.abs(a) > 0))",
    "create table t (a int generated always as (public.abs(1)) stored)",
    "create index on t (public.lower(b))",
    "create index on t (a) where public.abs(a) > 0",
    "alter table t alter a type int using public.abs(a)",
    "insert into t values (1) on conflict (a) do update set a = public.abs(t.a)",
    "select count(*) over (order by public.abs(a)) from t",
    "do $$ begin for i in 1..3 loop perform public.abs(1); end loop; end $$",
    "do e'begin for i in 1..3 loop insert into t values (\\x31); end loop; end'",
    // everything, or as somebody else
    "vacuum",
    "vacuum full",
    "vacuum (analyze)",
    "analyze",
    "cluster",
    "reindex schema public",
    "reindex (verbose) database postgres",
    "reindex system postgres",
    "set search_path = public",
    "set search_path to default",
    "reset search_path",
    "set local search_path = public",
    "set role postgres",
    "set local role postgres",
    "set session authorization default",
    "reset role",
    "set session_replication_role = replica",
    "alter table t set schema public",
    "drop owned by postgres",
    "reassign owned by a to b",
    // what belongs to the database or the server
    "create extension pageinspect",
    "create role r",
    "create user u with password 'x' in role pg_monitor",
    "alter role r superuser",
    "alter user r rename to s",
    "drop role if exists r",
    "drop group r",
    "grant pg_read_all_data to r with admin option",
    "revoke r from s",
    "alter group g add user u",
    "alter view v owner to r",
    "alter schema public owner to r",
    "do $$ begin create role r; end $$",
    "do $$ begin grant r to s; end $$",
    "create database d",
    "drop database d",
    "create schema s",
    "create publication p for all tables",
    "create subscription s connection '' publication p",
    "create or replace function f() returns int language sql as 'select 1'",
    "create procedure p() language sql as 'select 1'",
    "call p()",
    "do $$ begin execute 'drop table public.orders'; end $$",
    "do $$ begin for i in 1..3 loop execute 'drop table ' || i; end loop; end $$",
    "copy t to program 'cat'",
    "copy t from '/etc/passwd'",
    "copy (select 1) to '/tmp/x'",
    "load 'x'",
    "prepare transaction 'x'",
    // functions
    "select query_to_xml('drop table public.orders', true, true, '')",
    "select lo_create(0)",
    "select dblink('', '')",
    "select set_config('search_path', 'public', false)",
    "select pg_terminate_backend(1)",
    "select pg_create_physical_replication_slot('x')",
    "select pg_advisory_lock(1)",
    "select pg_switch_wal()",
    "select pg_logical_emit_message(true, 'a', 'b')",
    // the whole server
    "alter system set full_page_writes = off",
    "checkpoint",
    "select pg_reload_conf()",
    // what scanners may disagree about
    "select 1 -- x\rdrop table orders",
    "drop table U&\"pg\\005fclass\"",
];

#[test]
fn what_is_refused() {
    for sql in REFUSED {
        let told = fate(&format!("select 1;\n{sql};"), SCHEMA).expect_err(sql);
        assert!(told.starts_with("line 2: ") && told.len() > 30, "{sql}: {told}");
    }
    for directive in ["--@ set full_page_writes off", "--@ crash", "--@ crash torn t 0 4096"] {
        assert!(fate(directive, SCHEMA).is_err_and(|told| told.starts_with("line 1: ")), "{directive}");
    }
}

#[test]
fn the_whole_server_when_it_may() {
    let reach = Reach { server_wide: true, ..SCHEMA };
    for sql in [
        "alter system set full_page_writes = off",
        "checkpoint",
        "select pg_reload_conf()",
        "alter system reset wal_compression",
    ] {
        assert_eq!(fate(sql, reach), Ok((1, 0)), "{sql}");
    }
    assert_eq!(fate("--@ set full_page_writes off", reach), Ok((0, 0)));
    for sql in
        ["alter system set archive_command = 'rm'", "alter system reset all", "--@ set archive_command rm", "--@ crash"]
    {
        assert!(fate(sql, reach).is_err(), "{sql}");
    }
    let script =
        Script::parse("--@ set wal_compression on\nalter system set full_page_writes = off;").expect("a script");
    let settings = admit(&script, reach).expect("admitted").server_settings();
    assert_eq!(settings.into_iter().collect::<Vec<_>>(), ["full_page_writes", "wal_compression"]);
}

/// What becomes of a statement in a database of its own.
fn errand(sql: &str) -> Result<Errand, String> {
    let script = Script::parse(sql).expect("a script");
    let n = script.statements().next().expect("a statement").n;
    admit_walled(&script, false).map(|walled| walled.errand(n))
}

fn sent(sql: &str) -> Result<Errand, String> {
    Ok(Errand::Send(sql.to_owned()))
}

#[test]
fn any_sql_is_sent_to_a_database_of_its_own() {
    for sql in [
        "create schema s",
        "create table users (id int, role text)",
        "update users set role = 'x'",
        "set role pg_read_all_stats",
        "select U&'\\0061', $1, a$b$ from t",
        "create function f() returns int begin atomic select 1; select 2; end",
        "create function f() returns void language plpgsql as $$ begin execute 'x'; end $$",
        "do $$ begin insert into t values (1); commit; end $$",
        "create publication p for table t",
        "grant select on t to public",
        "prepare transaction 'x'",
        "set standard_conforming_strings = on",
        "set client_encoding to 'UTF8'",
        "copy t to stdout",
        "select heap_page_items(get_raw_page('t', 0))",
        "discard temp",
        "insert into t values ('set session authorization postgres')",
    ] {
        assert_eq!(errand(sql), sent(sql), "{sql}");
    }
    assert_eq!(
        errand("SELECT pg_catalog.set_config('search_path', 'it''s', true)"),
        sent("SET LOCAL search_path TO 'it''s'")
    );
}

#[test]
fn what_ffviz_does_itself() {
    for sql in [
        "do $$ begin execute 'x'; end $$",
        "do language plpgsql $$ begin insert into t values (1) on conflict do nothing; end $$",
        "do 'begin perform \"f\"(); end'",
        "do $$ begin set session authorization x; end $$",
    ] {
        assert_eq!(errand(sql), Ok(Errand::Perform(sql.to_owned())), "{sql}");
    }
    let setting = |value: &str, is_local: bool| {
        Ok(Errand::Send(format!("SELECT ffviz.setting('wal_compression', '{value}', {is_local})")))
    };
    assert_eq!(errand("SET wal_compression TO on"), setting("on", false));
    assert_eq!(errand("set local wal_compression = 'lz4'"), setting("lz4", true));
    let extension = |name: &str, schema: &str| {
        let (name, schema, if_not_exists) = (name.to_owned(), schema.to_owned(), name == "pg_trgm");
        Ok(Errand::Extension { name, schema, if_not_exists })
    };
    assert_eq!(errand("create extension if not exists pg_trgm"), extension("pg_trgm", "public"));
    assert_eq!(errand("create extension \"uuid-ossp\" with schema \"S\""), extension("uuid-ossp", "S"));
    assert_eq!(errand("create extension hstore schema s cascade"), extension("hstore", "s"));
}

#[test]
fn what_would_make_it_another_is_not_sent() {
    for sql in [
        "set session authorization x",
        "set session /* */ authorization default",
        "reset session authorization",
        "set \"session_authorization\" = x",
        "create function f() returns int language sql set session_authorization = x as 'select 1'",
        "discard all",
        "checkpoint",
        "select 'open",
    ] {
        assert!(matches!(errand(sql), Ok(Errand::LeaveOut(_))), "{sql}: {:?}", errand(sql));
    }
}

#[test]
fn what_reaches_beyond_its_database_is_refused() {
    for sql in [
        "create role r",
        "drop user u",
        "alter system set work_mem = '1MB'",
        "drop database d",
        "alter database d set work_mem = '1MB'",
        "create tablespace t location '/x'",
        "create subscription s connection '' publication p",
        "create event trigger e on ddl_command_end execute function f()",
        "create language plperl",
        "create server s foreign data wrapper postgres_fdw",
        "copy t to program 'x'",
        "copy t from '/etc/passwd'",
        "create extension dblink",
        "create extension plperl",
        "load 'x'",
        "drop owned by pg_monitor",
        "do language plperl $$ x $$",
        "do e'begin \\x65nd'",
        "do $$ begin execute 'x'; commit; end $$",
        "set standard_conforming_strings = off",
        "set names 'LATIN1'",
        "drop table U&\"x\"",
        "select heap_page_items('\\x00')",
        "select 1 -- x\rdrop table t",
    ] {
        let told = errand(sql).expect_err(sql);
        assert!(told.starts_with("line 1: ") && told.len() > 30, "{sql}: {told}");
    }
    for directive in ["--@ crash", "--@ set full_page_writes off"] {
        let script = Script::parse(directive).expect("a script");
        assert!(admit_walled(&script, true).is_err_and(|told| told.starts_with("line 1: ")), "{directive}");
    }
}
