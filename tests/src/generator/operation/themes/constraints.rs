//! Constraints that wait for the end of a transaction, and what foreign keys do when a row goes.

use super::super::When::{Always, InBlock, Nobody, Outside, Own};
use super::{Theme, of};

/// Keys that are checked late.
pub(super) const DEFERRABLE_KEYS: Theme = Theme {
    setup: "create table dk (id int primary key deferrable{| initially deferred}, code text, n int, \
            constraint dk_code unique (code) deferrable initially {deferred|immediate}); \
            insert into dk select g, 'c' || g, g % 5 from generate_series(1, {n}) g",
    operations: &[
        of(2, Own, "update dk set id = id + {1|-1|2} where n < {int}"),
        of(2, Own, "update dk set code = code || 'x' where id < {int}"),
        of(2, Own, "insert into dk values ({int}, 'c{int}', {int})"),
        of(2, Own, "insert into dk select g, 'd' || g, 1 from generate_series({id}00, {id}00 + {n}) g"),
        of(
            2,
            Nobody,
            "begin; insert into dk values ({int}, 'e{id}', 0), ({int}, 'f{id}', 0); delete from dk where n = 0; {end}",
        ),
        of(
            2,
            Nobody,
            "begin; set constraints all deferred; update dk set id = {int} - id; update dk set id = id % 7; \
                       update dk set id = id + {int} * 100; {end}",
        ),
        of(
            2,
            Nobody,
            "begin; set constraints dk_pkey {deferred|immediate}; update dk set id = id % {n}; \
                       savepoint f; set constraints all immediate; rollback to f; delete from dk where n < 3; {end}",
        ),
        of(1, Nobody, "begin; update dk set code = 'c' || {int} where n = 1; set constraints dk_code immediate; {end}"),
        of(1, InBlock, "savepoint f; set constraints all {deferred|immediate}; rollback to f"),
        of(1, Own, "delete from dk where id = {int}"),
        of(1, Nobody, "vacuum dk"),
        of(1, Own, "insert into dk values ({int}, 'g{id}', 1) on conflict do nothing"),
        of(
            1,
            Nobody,
            "begin; insert into dk values ({int}, 'h', 1); {truncate dk|alter table dk add x{id} int}; {end}",
        ),
        of(1, Always, "select count(*), min(id), max(code) from dk where n > 0"),
        of(1, Nobody, "alter table dk alter constraint {dk_pkey|dk_code} deferrable"),
    ],
};

/// Foreign keys that are checked late.
pub(super) const DEFERRABLE_REFERENCES: Theme = Theme {
    setup: "create table de (id int primary key, t text); create table em (id serial primary key, d int, n int, \
            constraint em_de foreign key (d) references de deferrable initially {deferred|immediate}); \
            insert into de select g, 'd' || g from generate_series(1, 20) g; insert into em (d, n) select g, g from generate_series(1, 15) g",
    operations: &[
        of(2, Own, "insert into em (d, n) values ({int}, {int}), (null, {int})"),
        of(2, Own, "update em set d = {int} where n < {int}"),
        of(1, Own, "delete from em where d = {int}"),
        of(1, Own, "delete from de where id = {int}"),
        of(1, Own, "update de set id = id + 100 where id = {int}"),
        of(1, Own, "update de set t = t || '.' where id < {int}"),
        of(
            2,
            Nobody,
            "begin; set constraints all deferred; insert into em (d, n) values ({id}00, 1); \
                       insert into de values ({id}00, 'late'); {end}",
        ),
        of(
            2,
            Nobody,
            "begin; set constraints em_de deferred; delete from de where id = {int}; savepoint f; \
                       set constraints em_de immediate; rollback to f; {insert into de values ({int}, 'again')|delete from em}; {end}",
        ),
        of(
            1,
            Nobody,
            "begin; set constraints all deferred; delete from de where id = {int}; delete from em where d = {int}; {end}",
        ),
        of(
            1,
            Nobody,
            "alter table em alter constraint em_de {deferrable|not deferrable|deferrable initially deferred}",
        ),
        of(1, Nobody, "vacuum {de|em}"),
        of(1, Always, "select count(*) from em join de on de.id = em.d"),
    ],
};

/// What goes, or changes, with the row that is referred to.
pub(super) const ACTIONS: Theme = Theme {
    setup: "create table pa (id int primary key, c int unique); \
            create table ch (id serial primary key, p int default 1 references pa on delete {cascade|set null|set default|restrict} \
            on update {cascade|set null|no action}, q int references pa (c) on delete {cascade|set null}, t text default 'child'); \
            {create index on ch (p)|create index on ch (p, q)}; insert into pa select g, g from generate_series(1, 30) g; \
            insert into ch (p, q) select g % 30 + 1, g % 20 + 1 from generate_series(1, 60) g",
    operations: &[
        of(3, Own, "delete from pa where id {= {int}|between {int} and {int}}"),
        of(2, Own, "update pa set id = id + 100 where id = {int}"),
        of(2, Own, "update pa set c = c + 1000 where id > {int}"),
        of(2, Own, "insert into ch (p, q) values ({int}, {int})"),
        of(2, Own, "insert into pa values ({int}, {id}00) on conflict do nothing"),
        of(1, Own, "update ch set p = {int}, t = '{letters}' where id = {int}"),
        of(1, InBlock, "savepoint f; delete from pa; rollback to f"),
        of(1, Nobody, "vacuum {pa|ch}"),
        of(
            1,
            Outside,
            "begin; delete from pa where id < {int}; savepoint f; update pa set id = id + 200 where id > 25; rollback to f; {end}",
        ),
        of(1, Nobody, "truncate {pa|pa cascade|ch}"),
        of(1, Always, "select count(*), count(p), count(q) from ch"),
    ],
};
