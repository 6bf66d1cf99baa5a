-- Write skew under SERIALIZABLE, by sequential scans: the pivot fails at COMMIT, or at once where the other has committed (OnConflict_CheckForSerializationFailure).
create table t (a int primary key, b int);
insert into t values (1, 1), (2, 1);
begin isolation level serializable;
select sum(b) from t;
--@ session B
begin isolation level serializable;
select sum(b) from t;
--@ session A
update t set b = 0 where a = 1;
--@ session B
update t set b = 0 where a = 2;
--@ session A
commit;
--@ session B
commit;
select * from t;
--@ session A
begin isolation level serializable;
select sum(b) from t;
--@ session B
begin isolation level serializable;
select sum(b) from t;
--@ session A
update t set b = 5 where a = 1;
commit;
--@ session B
update t set b = 6 where a = 2;
select * from t;
rollback;
--@ session A
begin isolation level serializable;
select count(*) from t where b = 7;
--@ session B
begin isolation level serializable;
select count(*) from t where b = 8;
insert into t values (3, 7);
--@ session A
insert into t values (4, 8);
commit;
--@ session B
savepoint s;
rollback to s;
commit;
select * from t;
