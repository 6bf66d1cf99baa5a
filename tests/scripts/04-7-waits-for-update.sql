-- A row lock that has waited locks the versions that the other transaction made (LOCK_UPDATED), up to one that was updated again; only then comes a hint bit.
create table t (a int primary key, b int);
insert into t values (1, 1), (2, 2), (3, 3), (4, 4);
begin;
update t set b = 10 where a = 1;
--@ session B
begin;
select * from t where a = 1 for update;
--@ session A
commit;
--@ session B
update t set b = b + 1 where a = 1;
commit;
--@ session A
begin;
update t set b = 20 where a = 2;
update t set b = 21 where a = 2;
--@ session B
begin;
select * from t where a = 2 for update;
--@ session A
commit;
--@ session B
commit;
--@ session A
begin;
update t set b = 30 where a = 3;
--@ session B
begin;
select * from t where a = 3 for share;
--@ session A
rollback;
--@ session B
commit;
--@ session A
begin;
update t set b = 40 where a = 4;
--@ session B
begin isolation level repeatable read;
select * from t where a = 4 for no key update;
--@ session A
commit;
--@ session B
rollback;
--@ session A
begin;
update t set b = 41 where a = 4;
delete from t where a = 4;
--@ session B
begin;
select * from t where a = 4 for update;
--@ session A
commit;
--@ session B
commit;
-- B's transaction has an id and no record but its COMMIT, which nobody waits for: without this one, hint bits would not come until the walwriter does
insert into t values (5, 5);
select * from t;
