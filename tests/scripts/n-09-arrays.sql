-- From 17 on one scan reads all values of IN that lie on a leaf (_bt_advance_array_keys): it remembers them before the first row is looked at, and marks
-- dead entries when it leaves the leaf, unless that has changed meanwhile. Until 16 it is a scan a value.
create table t (a int, b int, c int) with (autovacuum_enabled = off);
create index i on t (a, b) with (fillfactor = 10);
insert into t select g % 50 * 2, g / 50, g from generate_series(0, 499) g;
reindex index i;
set enable_seqscan = off;
set enable_bitmapscan = off;
set enable_sort = off;
delete from t where c % 4 = 1;
-- the statement's own entries change the leaf
update t set b = b + 100 where a in (2, 6, 10, 14);
select c from t where a in (14, 2, 6, 10);
update t set a = a + 1 where a in (30, 40, 32) and b in (2, 4, 7);
update t set a = a - 1 where a in (90, 61, 62) and b > 3;
select c from t where a in (90, 62, 3) and b < 6 order by a desc, b desc;
select c from t where a in (20, 22, 24, 26) order by a limit 7;
select c from t where a in (20, 22, 24, 26) order by a desc, b desc limit 7;
