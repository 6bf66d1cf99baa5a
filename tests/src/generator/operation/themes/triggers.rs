//! Triggers: of rows, before and after, which change the row, leave it out, or write another table; of statements.

use super::super::When::{Always, InBlock, Nobody, Outside, Own};
use super::{Theme, of};

/// Rows that a trigger changes, and those that are told of.
pub(super) const AUDIT: Theme = Theme {
    setup: "create table au (n serial primary key, op text, k int, was int, now int); \
            create table tg (a int primary key, c0 int, c1 text default 'none', n int default 0){| with (fillfactor = 60)}; \
            create function tg_before() returns trigger language plpgsql as $$ begin new.n = coalesce(new.n, 0) + 1; \
            if new.c0 % 11 = 0 then return null; end if; \
            if tg_op = 'UPDATE' then new.c1 = old.c1 || '.'; end if; return new; end $$; \
            create function tg_after() returns trigger language plpgsql as $$ begin \
            if tg_op = 'INSERT' then insert into au (op, k, now) values (tg_op, new.a, new.c0); \
            elsif tg_op = 'UPDATE' then insert into au (op, k, was, now) values (tg_op, new.a, old.c0, new.c0); \
            else insert into au (op, k, was) values (tg_op, old.a, old.c0); end if; return null; end $$; \
            create function tg_delete() returns trigger language plpgsql as $$ begin \
            if old.c0 > 25 then return null; end if; return old; end $$; \
            create trigger tg_b before insert or update on tg for each row execute function tg_before(); \
            create trigger tg_a after insert or update or delete on tg for each row execute function tg_after()",
    operations: &[
        of(4, Own, "insert into tg (a, c0) select g, (g * 7) % 30 from generate_series({id}000, {id}000 + {n}) g"),
        of(2, Own, "insert into tg values ({id}000, {int}, '{letters}'), ({id}001, {int})"),
        of(1, Own, "insert into tg (a, c0) values ({id}000, {int}) returning *"),
        of(4, Own, "update tg set c0 = {int} where a % {7|13} = {0|1|2}"),
        of(2, Own, "update tg set c0 = c0 + 1, c1 = '{letters}' where c0 < {int}"),
        of(1, Own, "update tg set a = a + 100000000 where c0 = {int}"),
        of(1, Own, "update tg set c1 = c1 where c0 = {int} returning a, c1, n"),
        of(2, Own, "delete from tg where c0 {<|>|=} {int} and a % 3 = 0"),
        of(1, Own, "delete from tg where c0 = {int} returning *"),
        of(1, Nobody, "alter table tg {disable|enable|enable always} trigger {tg_a|tg_b|all|user}"),
        of(
            1,
            Nobody,
            "drop trigger if exists tg_w on tg; create trigger tg_w {before|after} update on tg for each row \
                       when (old.c0 is distinct from new.c0) execute function {tg_before|tg_after}()",
        ),
        of(
            1,
            Nobody,
            "drop trigger if exists tg_o on tg; create trigger tg_o {before|after} update of c0 on tg for each row \
                       execute function {tg_before|tg_after}()",
        ),
        of(
            1,
            Nobody,
            "drop trigger if exists tg_d on tg; create trigger tg_d before delete on tg for each row \
                       execute function tg_delete()",
        ),
        of(
            1,
            Own,
            "insert into tg (a, c0) values ({id}000, 5), (1, {int}) on conflict (a) do {nothing|update set c0 = excluded.c0}",
        ),
        of(1, InBlock, "savepoint f; update tg set c0 = 10 / (c0 - {int}); rollback to f"),
        of(1, Always, "select count(*), max(n) from au"),
        of(1, Always, "select a, c0, n from tg where c0 = {int}"),
        of(1, Nobody, "vacuum {tg|au}"),
        of(1, Outside, "do $$ begin for i in 1..{n} loop update tg set c0 = i where a % 5 = 1; end loop; end $$"),
        of(1, Nobody, "begin; delete from tg where a % 2 = 0; insert into tg (a, c0) values ({id}000, {int}); {end}"),
    ],
};

/// Triggers of statements, and of a table that refuses changes.
pub(super) const STATEMENTS: Theme = Theme {
    setup: "create table told (op text, at text, level text); create table st (a int, c0 int, c1 text); \
            create function st_told() returns trigger language plpgsql as $$ begin \
            insert into told values (tg_op, tg_when, tg_level); return null; end $$; \
            create function st_guard() returns trigger language plpgsql as $$ begin \
            if new.c0 > 20 then raise exception 'too large: %', new.c0; end if; return new; end $$; \
            create trigger st_b before insert or update or delete on st for each statement execute function st_told(); \
            create trigger st_a after insert or update or delete on st for each statement execute function st_told()",
    operations: &[
        of(3, Own, "insert into st select g, g % 30, '{letters}' from generate_series(1, {n}) g"),
        of(2, Own, "insert into st values ({int}, {int})"),
        of(3, Own, "update st set c0 = c0 + {1|0|-1} where a {=|<|>} {int}"),
        of(2, Own, "delete from st where a = {int}"),
        of(1, Own, "delete from st where a = 100000"),
        of(
            1,
            Nobody,
            "create trigger g{id} before {insert|update|insert or update} on st for each row \
                       execute function st_guard(); insert into st values (1, {int}), (2, {int}); \
                       update st set c0 = c0 + 3 where a < 10; drop trigger g{id} on st",
        ),
        of(
            1,
            Nobody,
            "drop trigger if exists st_s on st; create trigger st_s before update on st for each row \
                       execute function suppress_redundant_updates_trigger()",
        ),
        of(1, Own, "update st set c0 = c0 where a < {int}"),
        of(1, Always, "select op, at, count(*) from told group by op, at order by 1, 2"),
        of(1, Nobody, "truncate {st|told}"),
        of(1, Nobody, "begin; update st set c0 = {int}; savepoint f; delete from st; rollback to f; {end}"),
    ],
};
