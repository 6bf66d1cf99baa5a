-- A statement waits for the row that another session has changed, and goes on when that one ends; a deadlock.
create table t (a int primary key, b int);
insert into t values (1, 1), (2, 2);
begin;
update t set b = 10 where a = 1;
--@ session B
update t set b = b + 1 where a = 1;
--@ session A
commit;
select * from t;
begin;
update t set b = 100 where a = 1;
--@ session B
begin;
update t set b = 200 where a = 2;
update t set b = 201 where a = 1;
--@ session A
update t set b = 101 where a = 2;

rollback;
--@ session B
commit;
select * from t;
