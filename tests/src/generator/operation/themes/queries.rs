//! Materialized views, MERGE and joins, LIKE and its indexes, partitions.

use super::super::When::{Always, InBlock, Nobody, Own};
use super::{Theme, of};

/// Rows that a query has made.
pub(super) const MATERIALIZED: Theme = Theme {
    setup: "create table sa (id int primary key, region text, amount int); \
            insert into sa select g, 'r' || g % 6, g % 40 from generate_series(1, {n} * 5) g; \
            create materialized view mv as select region, sum(amount) total, count(*) n from sa group by region order by region; \
            create materialized view mw as select id, amount from sa where amount > 20{| with no data}; \
            create {unique index mw_id on mw (id)|index mw_id on mw (amount)}",
    operations: &[
        of(3, Own, "insert into sa select g, 'r' || g % 4, g % 60 from generate_series({id}00, {id}00 + {n}) g"),
        of(2, Own, "update sa set amount = amount + {int} where id % 7 = {0|1|2}"),
        of(1, Own, "delete from sa where amount = {int}"),
        of(4, Nobody, "refresh materialized view {mv|mw}{|| with no data}"),
        of(1, Nobody, "begin; refresh materialized view {mv|mw}; {end}"),
        of(1, Nobody, "vacuum {mv|mw|sa}"),
        of(1, Nobody, "analyze {mv|mw}"),
        of(2, Always, "select * from mv order by region"),
        of(1, Always, "select count(*) from mw where amount > {int}"),
        of(1, InBlock, "savepoint f; select * from mw where id = {int}; rollback to f"),
        of(1, Nobody, "create index on mw (amount, id)"),
        of(1, Nobody, "alter materialized view mw {set (fillfactor = 50)|rename to mw}"),
        of(1, Nobody, "cluster mw using mw_id"),
        of(
            1,
            Nobody,
            "drop materialized view mv; create materialized view mv as select region, max(amount) total, 1 n from sa group by 1 order by 1",
        ),
        of(1, Own, "insert into mw values (1, 2)"),
        of(1, Nobody, "vacuum full mw"),
    ],
};

/// Stock and deliveries: MERGE, UPDATE … FROM, DELETE … USING between two tables.
pub(super) const MERGED: Theme = Theme {
    setup: "create table st0 (id int primary key, qty int, name text){| with (fillfactor = 70)}; \
            create table dl (id int{| primary key}, qty int, name text); \
            insert into st0 select g, g, 'item ' || g from generate_series(1, {n}) g; \
            insert into dl select g, g % 3, 'new ' || g from generate_series(10, 10 + {n}) g",
    operations: &[
        of(
            3,
            Own,
            "merge into st0 s using dl d on s.id = d.id when matched and d.qty = {0|1|2} then delete \
                    when matched then update set qty = s.qty + d.qty when not matched then insert values (d.id, d.qty, d.name)",
        ),
        of(
            2,
            Own,
            "merge into st0 s using (select id, max(qty) q from dl group by id) d on s.id = d.id \
                    when matched then update set qty = d.q, name = name || '+' when not matched then {do nothing|insert (id) values (d.id)}",
        ),
        of(
            1,
            Own,
            "merge into st0 s using dl d on s.id = d.id and s.qty < {int} when not matched then insert values (d.id + {id}000, d.qty)",
        ),
        of(
            1,
            Own,
            "merge into st0 s using dl d on s.id = d.id when matched then delete when not matched by source then \
                    {delete|update set qty = 0|do nothing}",
        ),
        of(
            1,
            Own,
            "merge into st0 s using dl d on s.id = d.id when matched then update set qty = d.qty returning merge_action(), s.id",
        ),
        of(
            3,
            Own,
            "update st0 set qty = st0.qty + dl.qty from dl where dl.id = st0.id{| and dl.qty > 0| and st0.id < {int}}",
        ),
        of(2, Own, "update dl set name = s.name, qty = s.qty from st0 s where s.id = dl.id + {0|1}"),
        of(2, Own, "delete from st0 using dl where dl.id = st0.id and dl.qty = {0|1|2}"),
        of(1, Own, "delete from dl d using st0 s, dl o where s.id = d.id and o.id = d.id and o.qty < 2"),
        of(
            2,
            Own,
            "insert into dl select g, g % 4, '{letters}' from generate_series({id}0, {id}0 + {n}) g{| on conflict do nothing}",
        ),
        of(2, Own, "insert into st0 select id, qty, name from dl on conflict (id) do update set qty = excluded.qty"),
        of(1, Own, "delete from {st0|dl} where id {<|=|>} {int}"),
        of(1, Nobody, "{vacuum|analyze|vacuum analyze} {st0|dl}"),
        of(
            1,
            InBlock,
            "savepoint f; merge into st0 s using dl d on true when matched then update set qty = 1; rollback to f",
        ),
        of(
            1,
            Own,
            "with moved as (delete from st0 where id < {int} returning *) insert into dl select * from moved{| on conflict do nothing}",
        ),
        of(
            1,
            Own,
            "with u as (update st0 set qty = qty + 1 where id = {int} returning id) delete from dl where id in (select id from u)",
        ),
        of(
            1,
            Always,
            "select s.id, d.qty from st0 s {join|left join|full join} dl d on d.id = s.id order by s.id, d.qty",
        ),
        of(
            1,
            Own,
            "update st0 set (qty, name) = (select max(qty), max(name) from dl where dl.id = st0.id) where id < {int}",
        ),
    ],
};

/// LIKE and regular expressions beside an index that knows how they begin.
pub(super) const PATTERNS: Theme = Theme {
    setup: "create table lk (id int, t text); create index lk_t on lk (t{ text_pattern_ops|}); \
            insert into lk select g, chr(97 + g % 26) || chr(97 + g % 7) || g from generate_series(1, {n} * 40) g; {analyze lk|vacuum lk}",
    operations: &[
        of(3, Always, "select count(*) from lk where t like '{a|b|ab|cd|x1|%1|_b|a_%|b%1}{%|}'"),
        of(
            2,
            Always,
            "{|explain |explain (costs off) }select * from lk where t {like|~|~*|ilike|not like} '{ab%|^ab|^a|b$|a.*1|}'",
        ),
        of(1, Always, "{|explain }select t from lk where t {>|<|>=} '{letters}' order by t limit 5"),
        of(
            1,
            Always,
            "explain select * from lk where {t ^@ 'ab'|starts_with(t, 'ab')|left(t, 1) = 'a'|t in ('ab1', 'cd3')}",
        ),
        of(2, Own, "insert into lk select g, 'ab' || g from generate_series(1, {n}) g"),
        of(1, Own, "update lk set t = upper(t) where t like '{a|b|c|d}%' and id % 5 = 0"),
        of(1, Own, "delete from lk where t like '{a|b|c|d|e}{a|b|c}%'"),
        of(1, Nobody, "{vacuum|analyze|vacuum analyze} lk"),
        of(1, Nobody, "create index on lk (lower(t) {|text_pattern_ops})"),
        of(1, Always, "{|explain }select count(*) from lk where lower(t) {= 'ab1'|like 'ab%'}"),
    ],
};

/// Partitions.
pub(super) const PARTITIONED: Theme = Theme {
    setup: "create table pt (a int, c0 int, t text) partition by {range (a)|range (a)|range (c0)}; \
            create table pt0 partition of pt for values from (0) to (10); create table pt1 partition of pt for values from (10) to (20); \
            create table pt2 partition of pt {default|for values from (20) to (maxvalue)}; {create index on pt (c0)|create index on pt (a, c0)|select 1}",
    operations: &[
        of(3, Own, "insert into pt select g % 30, g % 25, '{letters}' from generate_series(1, {n}) g"),
        of(2, Own, "insert into pt values ({int}, {int}), ({int}, -{int})"),
        of(3, Own, "update pt set a = a + {1|3}, c0 = c0 + 1 where a = {int}"),
        of(2, Own, "update pt set t = '{letters}' where c0 < {int}"),
        of(2, Own, "delete from pt where a = {int}"),
        of(1, Always, "{|explain (costs off) |explain }select * from pt where a {=|<|>} {int}"),
        of(1, Always, "select count(*), max(a) from pt where c0 = {int}"),
        of(
            1,
            Nobody,
            "alter table pt detach partition pt1; insert into pt1 values (12, 12); alter table pt attach partition pt1 for values from (10) to (20)",
        ),
        of(1, Nobody, "{vacuum|analyze|truncate} {pt|pt0|pt1}"),
        of(1, Own, "insert into {pt0|pt1} values ({int}, {int})"),
        of(1, Always, "select a from pt where a = {int} for {mode}"),
    ],
};
