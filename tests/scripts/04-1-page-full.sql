-- heap_wal 4.1: 13 and 14 do not update HOT on a page where an update found no room; 15 and later do.
create table t (a int primary key, b int, c char(1200));
insert into t select g, g, 'x' from generate_series(1, 6) g;
begin;
update t set b = 0 where a = 1;
update t set b = 0 where a = 2;
commit;
delete from t where a = 3;
begin isolation level repeatable read;
select count(*) from t;
update t set b = 7 where a = 4;
update t set b = 8 where a = 5;
commit;
update t set b = 9 where a = 6;
select count(*) from t;
