-- heap_wal 4.1: a column that only a BRIN index has does not prevent HOT from 16 on.
create table t (a int, b int);
create index t_brin on t using brin (b);
insert into t select g, g from generate_series(1, 50) g;
update t set b = b + 1 where a = 7;
-- wal 13-15: UPDATE 71
-- wal 16-: HOT_UPDATE 71
update t set a = 100 where a = 8;
