-- heap_wal 2.9: a lock goes on to a version that a running transaction made, in REPEATABLE READ too; an UPDATE that finds the row changed locks the last version alone.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 300) g;
--@ session A
begin;
update t set b = 0 where a = 3;
update t set b = 0 where a = 4;
--@ session B
begin isolation level repeatable read;
select a from t where a = 3 for key share;
rollback;
begin;
select a from t where a = 4 for key share;
--@ session C
update t set b = 1 where a = 4;
--@ session A
commit;
--@ session B
commit;
--@ session C
select * from t where a < 5;
vacuum t;
