-- heap_wal 6.1: a snapshot that takes a transaction for running sets no hint, even when it has ended meanwhile.
create table t (a int, b int);
insert into t values (1, 1), (2, 2);
select * from t;
--@ session B
begin isolation level repeatable read;
select * from t;
--@ session A
insert into t values (3, 3);
delete from t where a = 1;
--@ session B
select * from t;
update t set b = 0 where a = 1;
rollback;
select * from t;
