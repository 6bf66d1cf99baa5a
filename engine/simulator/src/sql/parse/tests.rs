//! What the grammar takes, and the sentences about what it does not.

use super::{parse, parse_expr};
use crate::sql::ast::{Expr, ExprNode, Literal, Statement};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// An expression with all its parentheses.
fn written(expr: &Expr) -> String {
    let all = |exprs: &[Expr], between: &str| exprs.iter().map(written).collect::<Vec<_>>().join(between);
    let not = |negated: &bool| if *negated { "not " } else { "" };
    match &expr.node {
        ExprNode::Column { table, name } => table.iter().chain([name]).cloned().collect::<Vec<_>>().join("."),
        ExprNode::Param(number) => format!("${number}"),
        ExprNode::Literal(Literal::Null) => "null".to_string(),
        ExprNode::Literal(Literal::Bool(value)) => value.to_string(),
        ExprNode::Literal(Literal::Number(digits)) => digits.clone(),
        ExprNode::Literal(Literal::String(text)) => format!("'{text}'"),
        ExprNode::Literal(Literal::Bits(text)) => text.clone(),
        ExprNode::Array(elements) => format!("[{}]", all(elements, ", ")),
        ExprNode::Cast(expr, ty) => format!("{}::{}({})", written(expr), ty.oid, ty.typmod),
        ExprNode::Domain(expr, _, domain) => format!("{}::{domain}", written(expr)),
        ExprNode::Minus(expr) => format!("(- {})", written(expr)),
        ExprNode::Not(expr) => format!("(not {})", written(expr)),
        ExprNode::Binary(op, left, right) => format!("({} {} {})", written(left), op.name(), written(right)),
        ExprNode::And(operands) => format!("({})", all(operands, " and ")),
        ExprNode::Or(operands) => format!("({})", all(operands, " or ")),
        ExprNode::IsNull { expr, negated } => format!("({} is {}null)", written(expr), not(negated)),
        ExprNode::Any { expr, list, .. } => format!("({} = any {})", written(expr), all(list, ", ")),
        ExprNode::In { expr, list, negated } => format!("({} {}in {})", written(expr), not(negated), all(list, ", ")),
        ExprNode::Between { expr, low, high, negated } => {
            format!("({} {}between {} and {})", written(expr), not(negated), written(low), written(high))
        }
        ExprNode::Case { operand, whens, otherwise } => {
            let part = |expr: &Option<_>| expr.as_deref().map_or_else(String::new, written);
            let whens: String =
                whens.iter().map(|(when, then)| format!(" {}: {}", written(when), written(then))).collect();
            format!("case {}{whens} else {}", part(operand), part(otherwise))
        }
        ExprNode::Function { name, args, star, .. } => {
            format!("{name}({}{})", if *star { "*" } else { "" }, all(args, ", "))
        }
        ExprNode::Operator(op, Some(left), right) => format!("({} {op} {})", written(left), written(right)),
        ExprNode::Operator(op, None, right) => format!("({op} {})", written(right)),
        ExprNode::IsDistinct { operands, negated } => {
            format!("({} is {}distinct from {})", written(&operands.0), not(negated), written(&operands.1))
        }
        ExprNode::IsTruth { expr, value, negated } => format!("({} is {}{value:?})", written(expr), not(negated)),
        ExprNode::Query { kind, .. } => format!("{kind:?}"),
        ExprNode::Row(list) => format!("row({})", all(list, ", ")),
        ExprNode::Slice(array, ..) => format!("{}[:]", written(array)),
        ExprNode::AssignedParts(parts) => parts.iter().map(|(_, value)| written(value)).collect(),
        ExprNode::AssignedFields(fields) => fields.iter().map(|(_, value)| written(value)).collect(),
        ExprNode::Named(name, value) => format!("{name} => {}", written(value)),
        ExprNode::Field(row, name) => format!("({}).{name}", written(row)),
        ExprNode::Subscript(array, index) => format!("{}[{}]", written(array), written(index)),
        ExprNode::AnyArray { expr, op, array, .. } => format!("({} {op} any {})", written(expr), written(array)),
    }
}

#[test]
fn operators_bind_as_in_postgresql() {
    let check = |sql: &str, expected: &str| assert_eq!(written(&parse_expr(sql).expect(sql)), expected, "{sql}");
    check("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)");
    check("a = 1 and not b < 2 or c is null", "(((a = 1) and (not (b < 2))) or (c is null))");
    check("a and b and (c or d)", "(a and b and (c or d))");
    check("-2147483648::int8", "(- 2147483648::20(-1))");
    check("-2147483648", "-2147483648");
    check("- a::int % 3", "((- a::23(-1)) % 3)");
    check("a || b + 1 || c", "((a || (b + 1)) || c)");
    check("a not in (1, 2 + 3) = true", "((a not in 1, (2 + 3)) = true)");
    check("a between 1 and 2 and b", "((a between 1 and 2) and b)");
    check("a not between 1 + 1 and x || y", "(a not between (1 + 1) and (x || y))");
    check("a is not null is null", "((a is not null) is null)");
    check("a isnull or b notnull", "((a is null) or (b is not null))");
    check("case when a > 0 then 1 else -1 end", "case  (a > 0): 1 else -1");
    check("case t.a when 1 then 'x' when 2 then 'y' end", "case t.a 1: 'x' 2: 'y' else ");
    check("numeric(10,2) '1.5'", "'1.5'::1700(655366)");
    check("interval '1 day' + date '2020-01-01'", "('1 day'::1186(-1) + '2020-01-01'::1082(-1))");
    check("cast(x as varchar(20))::\"char\"", "x::1043(24)::18(-1)");
    check("'{1,2}'::int[]", "'{1,2}'::1007(-1)");
    check("x::char || x::character(3)", "(x::1042(5) || x::1042(7))");
    check("timestamp with time zone 'now'", "'now'::1184(-1)");
    check("count(*) + sum(a) % left('abc', 1)", "(count(*) + (sum(a) % left('abc', 1)))");
    check("\"Select\" <> $1 and t.\"B c\" != E'\\n'", "((Select <> $1) and (t.B c <> '\n'))");
    check("array[1, 2]", "[1, 2]");
    check("date + 1", "(date + 1)");
    check("a like 'x' || b and c", "((a ~~ ('x' || b)) and c)");
    check("a -> 'b' ->> 'c' = d", "(((a -> 'b') ->> 'c') = d)");
    check("2 ^ 3 * 4", "((2 ^ 3) * 4)");
    check("a is not distinct from b or c is true", "((a is not distinct from b) or (c is Some(true)))");
    check("(a, b) = (1, 2)", "(row(a, b) = row(1, 2))");
    check("-a[1] + pg_catalog.abs(b)", "((- a[1]) + abs(b))");
}

/// Statements that are taken; the tree of each is looked at where it is executed.
const TAKEN: &[&str] = &[
    "create table t (a int primary key, b text not null default 'x', c numeric(10,2), d \"char\", e int[] null) with (fillfactor = 80)",
    "CREATE UNLOGGED TABLE IF NOT EXISTS s.t (id bigserial, t timestamp with time zone, unique (id) include (t) with (fillfactor=50));",
    "create local temporary table if not exists pg_temp.t (a int) with (fillfactor=50) on commit delete rows",
    "create temp table t (a) on commit drop as select 1",
    "create table c (id int generated by default as identity primary key, p int references t (a), foreign key (p) references t)",
    "create table u (constraint x primary key (a, b), a int, b int constraint nn not null)",
    "create table t (a int, b text) partition by range (a, b)",
    "create table c partition of t for values from (1, minvalue) to (maxvalue, maxvalue) with (fillfactor = 50)",
    "create table if not exists c partition of t for values in (null, 1 + 1) partition by hash (a)",
    "create table c partition of s.t default",
    "create table c partition of t for values with (remainder 1, modulus 4)",
    "alter table t attach partition c for values from ('a') to ('b')",
    "alter table t detach partition c",
    "create table t (a text storage external compression default collate \"C\" not null, b text compression pglz)",
    "alter table t add foreign key (a) references u not enforced, drop column b cascade",
    "create or replace temporary view v as select 1",
    "create statistics if not exists s.x (ndistinct, mcv) on a, b from t",
    "alter statistics if exists x set statistics -1",
    "drop statistics if exists s.x, y cascade",
    "create table t2 as select * from t",
    "create materialized view if not exists v (x) with (fillfactor=90) as select a from t with no data",
    "refresh materialized view concurrently s.v with data",
    "set constraints all deferred",
    "set constraints s.a, b immediate",
    "create table d (a int unique deferrable initially deferred, b int references t not deferrable initially immediate)",
    "alter table t alter constraint c deferrable initially immediate, set unlogged",
    "select a from t as x tablesample bernoulli (2.5) repeatable (-7) where a > 1",
    "update t set a = 1 where current of c returning a",
    "delete from only t where current of c",
    "declare h no scroll cursor with hold for select 1",
    "vacuum (parallel 0, skip_locked, process_toast false) t",
    "cluster verbose",
    "alter table t alter a set generated by default restart with 7, alter b restart",
    "create table t2 (x, y) with (fillfactor=90) as select a, b from t with no data",
    "create unique index i on t using btree (a desc, lower(b), (a + 1) nulls first) include (c) with (deduplicate_items = off) where a > 5",
    "create index on t (a)",
    "create index b on t using brin (a)",
    "create table t (a int, r int4range, constraint x exclude using gist (a with =, r with &&) where (a > 0))",
    "create table t (a int, r int4range, primary key (a, r without overlaps))",
    "drop table if exists t, u cascade",
    "drop index i",
    "truncate table t, u",
    "alter table t set (fillfactor = 70, toast.autovacuum_enabled = off), add column z int default 5 not null",
    "alter table t drop column if exists z",
    "alter table t alter column b set storage external",
    "alter index i set (fillfactor = 70)",
    "alter table t reset (fillfactor)",
    "insert into t values (1, default), (2, 'x') on conflict do nothing",
    "insert into t (a, b) select i, repeat('x', i % 7) from generate_series(1, 10) i",
    "insert into t select generate_series(1, 10), 'x'",
    "insert into t default values",
    "insert into t values (1) on conflict (a) do update set b = excluded.b || t.b, c = default where t.a > 1",
    "update t set b = b + 1 where a = $1",
    "update t as x set b = default, c = 1",
    "delete from t x where x.a in (1, 2)",
    "copy t (a, b) from stdin with (freeze)",
    "copy t from stdin",
    "copy t from stdin with freeze",
    "select a x, t.*, count(*) as n from t where a between 1 and 3 order by a desc nulls last, 2 limit 3 offset 1 for no key update skip locked",
    "select i, j from generate_series(1, 2) as g(i), generate_series(1, 3) j",
    "select pg_sleep(1), pg_reload_conf()",
    "select * from t for key share nowait",
    "select left(b, 1) from t limit all",
    "select extract(epoch from now()), (select 1), a is true, a like 'x' from t join u using (a) left join v on true",
    "with x as (select 1) select distinct on (a) a from x, lateral (select 1) y union all values (1), (2) order by 1",
    "select a, sum(b) filter (where b > 1) from t group by a having count(*) > 1",
    "create extension if not exists pageinspect with schema public cascade",
    "select ctid, xmin::text, * from t where ctid = any (array['(0,1)', '(0,2)']::tid[]) order by ctid",
    "insert into t values (1) on conflict do nothing returning a, b as c, *",
    "update t as x set a = 1 where a = 2 returning x.*",
    "delete from t returning ctid",
    "begin",
    "begin transaction isolation level repeatable read, read only",
    "start transaction isolation level serializable",
    "commit work",
    "end",
    "rollback",
    "abort",
    "savepoint a",
    "rollback to savepoint a",
    "rollback to a",
    "release a",
    "set transaction isolation level read committed",
    "create schema if not exists s",
    "drop schema if exists s, r cascade",
    "create or replace view s.v (a, b) as select 1, b from t",
    "drop view if exists v, s.w restrict",
    "create function f(n int, text, out a int, out b text) returns setof record stable language sql as $$ select $1, $2; $$",
    "create or replace function s.f(integer) returns table (a int, b text) as 'select 1, null' language sql parallel safe cost 5",
    "drop function if exists f(int, text), g cascade",
    "prepare p (int, text) as update t set b = $2 where a = $1 returning b",
    "execute p (1, 'x' || 'y')",
    "deallocate prepare all",
    "declare c no scroll cursor without hold for select a from t order by a",
    "fetch forward 3 from c",
    "move all in c",
    "close all",
    "update t as x set b = s.b from s as s where s.a = x.a",
    "delete from t x using s where s.a = x.a returning x.a",
    "copy t (a, b) from stdin with csv header delimiter as ';' null 'x'",
    "copy t from stdin (format csv, header, delimiter ';', quote '\"', null '')",
    "copy (select a from t) to stdout with (format csv)",
    "do $$ begin for i in 1..10 loop update t set b = i where a = i; commit; end loop; end $$",
    "do language plpgsql 'begin for i in -5 .. 5 loop perform pg_sleep(0); insert into t values (i); end loop; end;'",
    "do $$ declare r record; n int := 1; begin for r in select a from t loop n := n + r.a; end loop; end $$",
    "do $$ begin begin delete from t; exception when unique_violation or others then raise notice '%', sqlerrm; end; end $$",
    "do $$ declare x t.a%type; begin execute 'select 1' into x using x; get diagnostics x = row_count; end $$",
    "create function f(a int) returns void strict language plpgsql as $$ begin while a > 0 loop exit; end loop; end $$",
    "create or replace procedure p(n int) language plpgsql as 'begin if n = 1 then commit; else null; end if; end'",
    "call p(1)",
    "drop procedure if exists p(int)",
    "create function g() returns trigger language plpgsql as $$ begin new.a := old.a; return new; end $$",
    "create trigger g before insert or update of a, b on t for each row when (new.a > 1) execute function g()",
    "create trigger h after delete on t execute procedure g()",
    "create trigger i before truncate on t for each statement execute function g('x', 7)",
    "create trigger j after update on t referencing old table as o new table n for each statement execute function g()",
    "create function s(n int default 1) returns setof t language sql as $$ delete from t; select * from t; $$",
    "create function r(n int) returns table (a int) stable language plpgsql as $$ begin return query select 1; end $$",
    "drop trigger if exists g on t",
    "alter table t enable trigger all",
    "vacuum",
    "create sequence if not exists s as smallint start with -3 increment by -2 minvalue -9 no maxvalue cache 1 no cycle",
    "alter sequence if exists s restart with 5 cache 10 cycle no minvalue owned by s.t.a",
    "alter sequence s restart owned by none",
    "drop sequence if exists s, r cascade",
    "vacuum freeze analyze t",
    "vacuum full freeze analyze t",
    "vacuum (full, analyze) t",
    "vacuum (freeze, index_cleanup off, truncate false, analyze, disable_page_skipping) a, b",
    "vacuum (verbose, index_cleanup auto) t",
    "analyze",
    "analyze t, u",
    "checkpoint",
    "reindex table t",
    "reindex index i",
    "set enable_seqscan = off",
    "set local enable_seqscan to default",
    "set time zone 'UTC'",
    "set search_path to a, public",
    "show work_mem",
    "show time zone",
    "show transaction isolation level",
    "show session authorization",
    "set names 'UTF8'",
    "set role none",
    "set session authorization default",
    "set session characteristics as transaction isolation level repeatable read, read only",
    "set local time zone local",
    "set xml option content",
    "set datestyle to iso, mdy",
    "reset session authorization",
    "select count(distinct a), count(all a), string_agg(distinct b, ',' order by b) from t",
    "reset all",
    "alter system set full_page_writes = 'off'",
    "alter system reset wal_compression",
    "alter system reset all",
];

#[test]
fn statements_are_taken() {
    for sql in TAKEN {
        if let Err(error) = parse(sql) {
            panic!("{sql}: {error}");
        }
    }
    assert!(matches!(parse(TAKEN[TAKEN.len() - 1]), Ok(Statement::AlterSystem(_))));
}

#[test]
fn other_statements_are_named() {
    let check = |sql: &str, expected: &str| {
        let error = parse(sql).expect_err(sql).to_string();
        assert!(error.starts_with(expected), "{sql}: {error}");
    };
    check("security label on table t is null", "SECURITY is not supported (line 1, column 1)");
    check(
        "alter materialized view v set (fillfactor = 50)",
        "ALTER MATERIALIZED VIEW other than RENAME is not supported",
    );
    check("show all", "SHOW ALL is not supported");
    // squawk's parser judges what ours does not read
    check("create rule r as on insert to t do nothing", "CREATE RULE is not supported");
    check(
        "explain (costs off, settings) select 1",
        "EXPLAIN option SETTINGS is not supported; the simulator knows ANALYZE, VERBOSE,",
    );
    check("create language d", "CREATE LANGUAGE is not supported; the simulator knows CREATE of TABLE, INDEX,");
    check("create temp sequence s", "CREATE TEMP is not supported");
    check("alter role r set work_mem = 1", "ALTER ROLE of settings is not supported");
    check("drop language d", "DROP LANGUAGE is not supported; the simulator knows DROP of TABLE, INDEX,");
    check("create global temp table t (a int)", "CREATE GLOBAL is not supported");
    check("create table t (a macaddr)", "type macaddr is not supported; the simulator knows boolean");
    check("create table t (a int, exclude (a with =))", "EXCLUDE by an index that is not gist is not supported");
    check("create table t (a int, foreign key (a, period b) references u)", "FOREIGN KEY with PERIOD is not supported");
    check("create table t (a int) partition by range ((a + 1))", "an expression as partition key is not supported");
    check(
        "create table c partition of t (primary key (a)) default",
        "a partition with constraints or defaults of its own",
    );
    check(
        "create index i on t using gin (a)",
        "an index of type gin is not supported; the simulator knows btree, brin and gist (line 1",
    );
    check("select a from t tablesample system (a)", "a percentage or seed of TABLESAMPLE that is no number");
    check("create table t (a xid)", "a column of type xid is not supported");
    check("declare c binary cursor for select 1", "a cursor that is BINARY is not supported");
    check(
        "create function f() returns int language c as ''",
        "a function in a language other than SQL and PL/pgSQL is not supported",
    );
    check(
        "create function f() returns setof record language plpgsql as 'begin return; end'",
        "a function whose rows have the columns that a call says is not supported",
    );
    check(
        "create function f() returns void language sql as 'create table x (a int)'",
        "this statement in a function in SQL is not supported; the simulator knows SELECT, INSERT, UPDATE, DELETE and MERGE there",
    );
    check("vacuum full", "VACUUM FULL of all tables, and with them the catalogs, is not supported");
    check("copy t to 'f'", "COPY to anything but STDOUT is not supported");
    check("copy t from stdin with (format binary)", "COPY in binary format is not supported");
    check("do $$ begin copy t to stdout; end $$", "this statement within PL/pgSQL is not supported");
}

#[test]
fn syntax_errors_have_a_place() {
    let check = |sql: &str, expected: &str| assert_eq!(parse(sql).expect_err(sql).to_string(), expected, "{sql}");
    check("", "syntax error at end of input (line 1, column 1)");
    check("selec 1", "syntax error at or near \"selec\" (line 1, column 1)");
    check("select count(distinct *)", "syntax error at or near \"*\" (line 1, column 23)");
    check("select count(distinct)", "syntax error at or near \")\" (line 1, column 22)");
    check("select 1 +", "syntax error at end of input (line 1, column 11)");
    check("select a < b < c", "syntax error at or near \"<\" (line 1, column 14)");
    check("update t\nset a = = 1", "syntax error at or near \"=\" (line 2, column 9)");
    check("insert into t values (1, 2", "syntax error at end of input (line 1, column 27)");
    check("create table select (a int)", "syntax error at or near \"select\" (line 1, column 14)");
    check("commit; commit", "syntax error at or near \"commit\" (line 1, column 9)");
    check("select 'abc", "unterminated quoted string at or near \"'abc\" (line 1, column 8)");
}
