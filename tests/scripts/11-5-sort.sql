-- ORDER BY (tuplesort.c, nodeIncrementalSort.c): which of equal rows comes first shows in the places of the copies; which values are compared
-- shows in the TOAST pages that are pruned.
create table t (a int, b int, c int);
insert into t select g, g % 5, g % 3 from generate_series(1, 90) g;
-- quicksort: sorted already, in no order, several keys, NULLs
create table copy (a int, b int, c int);
insert into copy select a, b, c from t order by b;
insert into copy select a, b, c from t order by c desc, b;
insert into copy select a, b, c from t order by a / 10;
update t set b = null where a % 4 = 0;
insert into copy select a, b, c from t order by b nulls first, c;
insert into copy select a, b, c from t order by b desc limit 60;
-- a heap of the first rows
insert into copy select a, b, c from t order by c limit 3;
insert into copy select a, b, c from t order by b desc, c limit 7 offset 4;
insert into copy select a, b, c from t order by c offset 80;
insert into copy select a, b, c from t order by c limit 0;
-- row locks come above the sort, which does not know the LIMIT then
select a from t order by c limit 3 for update;
select a from t order by b, c limit 5 for no key update;
-- groups of rows that come sorted by the first key: no more are read than are needed
create table i (a int, b int, c int) with (fillfactor = 20);
insert into i select g / 7, (g * 37) % 11, g from generate_series(1, 900) g;
create index on i (a);
analyze i;
update i set c = c + 1 where a < 40;
insert into copy select a, b, c from i order by a, b limit 5;
insert into copy select a, b, c from i order by a, b desc limit 40 offset 3;
set enable_seqscan = off;
insert into copy select a, b, c from i where a < 60 order by a, b;
create table j (a int, b int, c int);
insert into j select case when g < 300 then g / 150 else g / 3 end, g % 13, g from generate_series(1, 600) g;
create index on j (a);
analyze j;
insert into copy select a, b, c from j order by a, b;
insert into copy select a, b, c from j order by a, b limit 170;
insert into copy select a, b, c from j order by a, b limit 20 offset 290;
reset enable_seqscan;
-- values in the TOAST table are fetched when they are compared: not where NULLs come first and are as many as are wanted
create table o (a int, b text) with (fillfactor = 50);
alter table o alter column b set storage external;
insert into o values (1, null), (2, null), (3, null), (4, null), (5, null), (6, null), (7, null);
insert into o select g, repeat('b', 7984) from generate_series(8, 12) g;
update o set b = repeat('n', 7984) where a > 9;
insert into copy select a, null, null from o order by b desc limit 2;
insert into copy select a, null, null from o order by b limit 2;
create table p (a int, b text) with (fillfactor = 50);
alter table p alter column b set storage external;
insert into p select g, repeat('b', 7984) from generate_series(1, 8) g;
update p set b = repeat('n', 7984) where a > 4;
-- what is computed below the sort is computed of all rows
select upper(b) from p order by a limit 1;
create table q (a int, b int);
insert into q select g, g % 3 from generate_series(1, 20) g;
select 1 / b from q order by a limit 1;
insert into copy select a, 1 / b from q order by a limit 1;
select setseed(0.25);
insert into copy select a, (random() * 1000)::int from q order by b limit 4;
insert into copy select (random() * 1000)::int, b from q order by 1 limit 4;
-- aggregates with an order of their own
create table s (v text);
insert into s select string_agg(a::text, ',' order by b) from t;
insert into s select string_agg(a::text, ',' order by c desc, b) from t;
