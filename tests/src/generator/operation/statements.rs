//! What is done to a script's tables since [`Level::THEMES`]: changes by joins, by queries within queries and by
//! cursors, samples, windows, prepared statements, other types, options of VACUUM.

use super::super::Level;
use super::When::{Always, InBlock, Nobody, Outside, Own};
use super::{Operation, When, sql};

const fn new(weight: u64, when: When, template: &'static str) -> Operation {
    sql(weight, Level::THEMES, when, template)
}

/// All of them.
pub(super) const STATEMENTS: &[Operation] = &[
    // joins that change rows
    new(
        2,
        Always,
        "update {t} set c0 = s.v from (select a as k, c0 + 1 as v from {other} where {some}) s where s.k = {t}.a{and_own}",
    ),
    new(1, Always, "update {t} set {set} from (values ({key}), ({key}), ({key})) s (k) where s.k = {t}.a"),
    new(1, Nobody, "update {t} set c0 = {other}.c0 from {other} where {other}.a = {t}.a and {t}.a < {n}"),
    new(1, Always, "delete from {t} using (values ({key}), ({key})) s (k) where s.k = {t}.a"),
    new(1, Nobody, "delete from {t} using {other} where {other}.a = {t}.a and {other}.c0 = {int} and {t}.a < {n}"),
    new(1, Always, "update {t} set c0 = (select count(*) from {other} where {some}) where {one}"),
    new(1, Always, "update {t} set c0 = {int} where {one} and exists (select from {other} o where o.a = {t}.a)"),
    new(1, Always, "delete from {t} where a in (select a from {t} where {some} order by a limit {1|2|5})"),
    new(
        1,
        Always,
        "merge into {t} using (values ({key}, {int}), ({fresh}, {int})) s (k, v) on s.k = {t}.a when matched and v > 20 then \
         delete when matched then update set c0 = v when not matched then insert (a, c0) values (k, v)",
    ),
    new(
        1,
        Always,
        "merge into {t} using (select g as k from {old_range}) s on s.k = {t}.a when matched then update set c0 = {t}.c0 + 1 \
         when not matched then {do nothing|insert (a) values (k)}",
    ),
    new(
        1,
        Always,
        "merge into {t} using (values ({key})) s (k) on s.k = {t}.a when matched then delete returning {t}.a",
    ),
    // queries in WITH that change rows
    new(1, Always, "with gone as (delete from {t} where {some} returning a, c0) select count(*), sum(c0) from gone"),
    new(
        1,
        Always,
        "with gone as (delete from {t} where {one} returning a, c0) insert into {t} (a, c0) select a + 1500000000, c0 from gone",
    ),
    new(1, Always, "with changed as (update {t} set {set} where {some} returning *) select count(*) from changed"),
    new(
        1,
        Always,
        "with new as (insert into {t} (a, c0) select g, {int} from {fresh_range} returning a) select min(a), max(a) from new",
    ),
    // windows; their rows are stored, so that they are compared
    new(1, Always, "select a, row_number() over (partition by c0 order by a) from {t} where {some}"),
    new(
        1,
        Always,
        "select a, sum(c0) over (order by a rows between 2 preceding and current row) from {t} where {some}",
    ),
    new(
        1,
        Nobody,
        "create table w{id} as select a, c0, rank() over (order by c0) r, lag(a) over (order by c0, a) l, \
         sum(c0) over (partition by a % 3 order by a) s, first_value(a) over (order by c0 desc, a) f from {t} order by a, c0",
    ),
    // samples
    new(1, Always, "select count(*) from {t} tablesample {system|bernoulli} ({n}) repeatable ({int})"),
    new(1, Always, "select a from {t} tablesample bernoulli ({n}) repeatable ({int}) where c0 > {int}"),
    new(1, Nobody, "create table s{id} as select * from {t} tablesample {system|bernoulli} (50) repeatable ({int})"),
    // cursors
    new(
        1,
        Outside,
        "begin; declare k{id} cursor for select a from {t} where {some} for update; fetch k{id}; \
         update {t} set {set} where current of k{id}; fetch {1|3|all} from k{id}; {end}",
    ),
    new(
        1,
        Outside,
        "begin; declare k{id} cursor for select * from {t} where {some}{and_own}; fetch {2|5} from k{id}; \
         delete from {t} where current of k{id}; move k{id}; update {t} set {set} where current of k{id}; {end}",
    ),
    new(
        1,
        Outside,
        "begin; declare h{id} {|scroll }cursor with hold for select a, c0 from {t} where {some} order by {a|c0}; \
         fetch {2|4} from h{id}; {end}; fetch {next|3|all} from h{id}; close h{id}",
    ),
    new(
        1,
        Own,
        "declare l{id} cursor with hold for select * from {t} where {any}; update {t} set {set} where {one}; \
         fetch 4 from l{id}; close l{id}",
    ),
    // the sixth time may have a generic plan
    new(
        1,
        Always,
        "prepare p{id} (int) as select a, c0 from {t} where {a|c0} = $1; execute p{id} ({key}); execute p{id} ({key}); \
         execute p{id} ({key}); execute p{id} ({key}); execute p{id} ({key}); execute p{id} ({key}); execute p{id} ({key}); \
         explain execute p{id} ({key}); deallocate p{id}",
    ),
    new(
        1,
        Always,
        "prepare u{id} (int, int) as update {t} set c0 = $2 where a = $1{and_own}; execute u{id} ({key}, {int}); \
         execute u{id} ({key}, {int}); execute u{id} ({key}, 1); execute u{id} ({key}, 2); execute u{id} ({key}, 3); \
         execute u{id} ({key}, {int}); execute u{id} ({key}, {int}); deallocate u{id}",
    ),
    // what is done to a table as a whole
    new(1, Nobody, "alter table {t} alter column c0 type {bigint|int|int using c0 + 1}"),
    new(1, Nobody, "begin; alter table {t} alter c0 type {bigint|int}; select count(*) from {t}; {end}"),
    new(1, Nobody, "alter table {t} set {logged|unlogged}"),
    new(1, Nobody, "cluster {keyed} using {keyed}_pkey"),
    new(1, Nobody, "cluster {keyed}"),
    new(1, Nobody, "vacuum (index_cleanup {on|off|auto}, truncate {on|off}) {t}"),
    new(1, Nobody, "vacuum ({freeze|full|full, freeze|freeze, index_cleanup off|process_toast off}) {t}"),
    new(1, Nobody, "vacuum ({skip_locked|parallel 0|buffer_usage_limit '256kB'|process_main off}) {t}"),
    new(1, Nobody, "alter table {t} alter c0 set not null; alter table {t} alter c0 drop not null"),
    new(1, Nobody, "alter table {t} alter c0 set default {int}; insert into {t} (a) values ({fresh})"),
    new(1, Nobody, "alter table {t} add constraint k{id} check (c0 is null or c0 < 100000000)"),
    new(1, Nobody, "create table l{id} (like {t} including all); insert into l{id} select * from {t} where {some}"),
    // PL/pgSQL
    new(
        1,
        Outside,
        "do $$ declare r record; n int := 0; begin for r in select a, c0 from {t} where {some} order by a loop \
         n := n + 1; if n % 2 = 0 then update {t} set c0 = n where a = r.a; end if; end loop; end $$",
    ),
    new(
        1,
        Always,
        "do $$ begin for i in 1..{n} loop begin update {t} set c0 = 10 / (i % 3) where {one}; \
         exception when division_by_zero then null; end; end loop; end $$",
    ),
    new(
        1,
        Outside,
        "do $$ declare v int; begin select max(a) into v from {t} where {some}; if found and v is not null then \
         update {t} set c0 = v % 100 where a = v; else insert into {t} (a, c0) values ({fresh}, {int}); end if; \
         execute 'delete from {t} where a = $1' using {key}; commit; update {t} set {set} where {one}; end $$",
    ),
    new(
        1,
        InBlock,
        "savepoint g; do $$ begin update {t} set {set} where {one}; raise exception 'no'; end $$; rollback to g",
    ),
];
