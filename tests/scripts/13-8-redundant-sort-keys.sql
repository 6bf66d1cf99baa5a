-- A key that is sorted by already sorts nothing, in whichever direction (pathkey_is_redundant): an index gives the order by itself, so that LIMIT
-- stops the scan before it has read, and hinted, all rows of the last group.
create table t (a int primary key, n int, c text) with (fillfactor = 50);
create index on t (n);
insert into t select g, g % 7, 'x' from generate_series(0, 57) g;
select a, n from t where a >= 3 order by n desc, n limit 7 offset 2;
select a from t where a >= 3 order by n, n desc, n limit 3;
update t set n = n + 10 where a % 3 = 0;
set enable_seqscan = off;
select a from t where a / 1 % 5 = 4 order by n desc, n limit 7 offset 2;
select a from t order by n, a, n, a limit 5;
select string_agg(c, ',' order by n, n desc) from t;
select a from t where n = 3 order by n, a desc, n limit 2;
