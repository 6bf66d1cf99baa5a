//! Everyday errors: message, DETAIL, HINT, and the place in the statement, as servers 13 and 18 give them.

use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::servers::Database;

/// What there is.
const TABLES: &str = "create table t (id int primary key, name text, amount numeric, d date);
create table u (id int, t_id int references t, name text);
insert into t values (1, 'a', 1.5, '2024-01-01');
create view v as select id, name from t;
create type mood as enum ('a', 'b');
create table m (x mood);
create table k (a int not null check (a > 0), b int unique);";

const WRONG: &[&str] = &[
    "select nme from t",
    "select t.nme from t",
    "select x.name from t",
    "select id from t, u",
    "select * from nope",
    "select * from nope.t",
    "select nope.a from nope",
    "select nofn(1)",
    "select lower(1, 2)",
    "select upper(id) from t",
    "select id + 'x' from t",
    "select name + 1 from t",
    "select name || d + true from t",
    "select id = name from t",
    "select * from t where name = 1",
    "select * from t where id",
    "select * from t where id = 'abc'",
    "select 'abc'::int",
    "select cast('x' as numeric)",
    "select date 'nope'",
    "select id, count(*) from t",
    "select name from t group by id, amount having count(*) > d",
    "select count(*) from t where count(*) > 1",
    "select sum(name) from t",
    "select * from t order by nope",
    "select * from t order by 9",
    "select * from t group by 9",
    "select 1 from t limit 'x'",
    "select (select id, name from t)",
    "select * from t where id in (select id, name from t)",
    "select * from t join u on t.id = u.nope",
    "select * from t join u using (nope)",
    "select * from t join u using (name, id, amount)",
    "select * from t t1 join t t1 on true",
    "select case when id then 1 end from t",
    "select case when true then 1 else 'x' end",
    "select coalesce(1, 'x')",
    "select array[1, 'x']",
    "insert into t values ('abc')",
    "insert into t values (1, 'a', 'b')",
    "insert into t (id, nope) values (1, 2)",
    "insert into t (id, id) values (1, 2)",
    "insert into t (id) values (1, 2)",
    "insert into nope values (1)",
    "insert into t (id, d) values (2, 3)",
    "insert into t values (1) on conflict (name) do nothing",
    "insert into t values (1) on conflict (id) do update set nope = 1",
    "insert into t values (1) on conflict (id) do update set name = excluded.nope",
    "insert into t values (1) returning nope",
    "insert into m values ('c')",
    "update t set nope = 1",
    "update t set id = 'x'",
    "update t set d = 1",
    "update t set id = nope",
    "update t set id = 1, id = 2",
    "update nope set id = 1",
    "update t set id = 1 where nope = 2",
    "update t set id = u.id from u where t.idd = u.id",
    "delete from nope",
    "delete from t where nope = 1",
    "delete from t using nope where true",
    "create table t (a int)",
    "create table c1 (a int, a int)",
    "create table c3 (a int default nofn())",
    "create table c4 (a int default 'x')",
    "create table c5 (a int check (b > 0))",
    "create table c6 (a int, check (nope > 0))",
    "create table c7 (a int check (a > 'x'))",
    "create table c10 (a int references nope)",
    "create table c11 (a int references t (nope))",
    "create table c12 (a int, foreign key (b) references t)",
    "create table c15 (a int generated always as (b + 1) stored)",
    "create table c19 (a int check (a))",
    "create table c21 (a int) inherits (nope)",
    "create table c23 (a text references t)",
    "create index on nope (a)",
    "create index on t (nope)",
    "create index on t (lower(nope))",
    "create index on t (nofn(id))",
    "create index on t (id) where nope = 1",
    "create index t_pkey on t (id)",
    "alter table t add id int",
    "alter table t alter id set default 'x'",
    "alter table t alter id set default nofn()",
    "alter table t add check (nope > 1)",
    "alter table t add constraint t_pkey check (id > 1)",
    "alter table t rename nope to x",
    "alter table t rename id to name",
    "alter table t add primary key (id)",
    "alter table t add foreign key (nope) references t",
    "drop table nope",
    "drop index nope",
    "drop view nope",
    "drop sequence nope",
    "drop function nofn(int)",
    "drop schema nope",
    "drop type nope",
    "truncate t",
    "vacuum nope",
    "reindex table nope",
    "copy nope to stdout",
    "create view v as select 1",
    "create view v2 as select nope from t",
    "create view v3 as select id, id from t",
    "create view v4 (a, b, c) as select 1",
    "create materialized view mv as select nope from t",
    "create table c30 as select nope from t",
    "create sequence t",
    "create function f() returns nope language sql as 'select 1'",
    "create trigger tr before insert on nope execute function nofn()",
    "create trigger tr before insert on t execute function nofn()",
    "prepare p as select nope from t",
    "execute nope",
    "declare c cursor for select nope from t",
    "fetch nope",
    "close nope",
    "set nope = 1",
    "set work_mem = 'x'",
    "show nope",
    "grant select on nope to public",
    "comment on table nope is 'x'",
    "with x as (select nope from t) select * from x",
    "with x as (select 1) select * from y",
    "select * from t where exists (select nope)",
    "select row_number() over (order by nope) from t",
    "select id from t where row_number() over () = 1",
    "select * from generate_series(1, 2, 3, 4)",
    "select * from nofn(1)",
    "select id.x from t",
    "select - name from t",
    "select not id from t",
    "select id and true from t",
    "select id between 'a' and 2 from t",
    "select id in (1, 'x') from t",
    "select id is true from t",
    "select extract(nope from d) from t",
    "select interval '1 nope'",
    "select 'x'::mood",
    "select 'x'::boolean",
    "select '1.5'::int",
    "select '99999999999'::int",
    "select 99999999999::int",
    "select 1/0",
    "select 1 from t where 1/0 = 1",
    "select to_date('x', 'YYYY')",
    "select round(1.5, 'x')",
    "select round('a', 2, 3)",
    "select now() - 'x'",
    "select current_date + '1 day'",
    "select d + d from t",
    "select d - 'x' from t",
    "select max(id, 2) from t",
    "select string_agg(id, ',') from t",
    "select count(distinct id, name) from t",
    "select avg(name) from t",
    "select array_agg(nope) from t",
    "select 1 as a where a = 1",
    "select id as x from t where x = 1",
    "select \"Name\" from t",
    "select \"Id\" from T",
    "select * from \"T\"",
    "selct 1",
    "select 1 form t",
    "select from where",
    "insert into t vales (1)",
    "select * from t wher id = 1",
    "create tabel x (a int)",
    "create table c18 (a int default (select 1))",
    "create table c17 (a int default b)",
    "create table c20 (like nope)",
    "select id from t union select name from t",
    "select 1 union select 1, 2",
    "insert into t (id, d) select 1, id from t",
    "select nextval('nope')",
    "select 'nope'::regclass",
    "alter table nope add a int",
    "truncate nope",
    "lock table nope",
    "with x as (select 1)\n select *\n from y",
];

/// Message, DETAIL, HINT, place.
type Said = (String, Option<String>, Option<String>, Option<u32>);

fn simulated(major: u32) -> Vec<Option<Said>> {
    let mut simulator = Simulator::new(&RunOptions::new(newest(major)), true, false).expect("a server");
    let mut run = |sql: &str| -> Option<Said> {
        let script = Script::parse(sql).expect("a script");
        let lines: Vec<TraceLine> = script.items.iter().flat_map(|item| simulator.item(item).lines).collect();
        lines.into_iter().find_map(|line| match line {
            TraceLine::Statement(line) => Some((line.error?, line.detail, line.hint, line.position)),
            _ => None,
        })
    };
    assert_eq!(run(TABLES), None);
    let each = |sql: &&str| {
        run("begin");
        let said = run(sql);
        run("rollback");
        said
    };
    WRONG.iter().map(each).collect()
}

fn asked(major: u32) -> Vec<Option<Said>> {
    let mut database = Database::create(major, "places");
    let client = &mut database.client;
    client.batch_execute(TABLES).expect("good statements");
    let each = |sql: &&str| {
        client.batch_execute("begin").expect("begin");
        let error = client.batch_execute(sql).err();
        client.batch_execute("rollback").expect("rollback");
        let error = error?;
        let told = error.as_db_error().expect("the server's error");
        let position = match told.position() {
            Some(postgres::error::ErrorPosition::Original(at)) => Some(*at),
            _ => None,
        };
        let own = |text: Option<&str>| text.map(str::to_owned);
        Some((told.message().to_owned(), own(told.detail()), own(told.hint()), position))
    };
    WRONG.iter().map(each).collect()
}

#[test]
fn everyday_errors_are_told_as_servers_tell_them() {
    for major in [13, 18] {
        let all = WRONG.iter().zip(asked(major)).zip(simulated(major));
        let differing: Vec<String> = all
            .filter(|((_, theirs), ours)| theirs != ours)
            .map(|((sql, theirs), ours)| format!("{major}: {sql}\n  server    {theirs:?}\n  simulator {ours:?}"))
            .collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}
