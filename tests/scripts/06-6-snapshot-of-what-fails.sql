-- A statement is analyzed with a snapshot (analyze_requires_snapshot), which the transaction keeps from REPEATABLE READ on, though it be refused before it
-- runs: where only a subtransaction fails, VACUUM of others still keeps what that snapshot sees; where the transaction fails, it does not.
create table t (a int primary key, n int) with (fillfactor = 50);
insert into t select g, g from generate_series(1, 20) g;
begin isolation level serializable read only;
savepoint s;
select a from t where a = 5 for share;
--@ session B
update t set n = n + 1 where a < 5;
vacuum (truncate off) t;
--@ session A
rollback;
begin isolation level repeatable read;
savepoint s;
select missing from t;
--@ session B
update t set n = n + 1 where a < 10;
vacuum (truncate off) t;
--@ session A
rollback to s;
select count(*) from t;
rollback;
begin isolation level repeatable read;
select missing from t;
--@ session B
update t set n = n + 1 where a < 15;
vacuum (truncate off) t;
--@ session A
rollback;
begin isolation level repeatable read;
savepoint s;
insert into t values (21, 1, 2);
--@ session B
delete from t where a > 15;
vacuum (truncate off) t;
--@ session A
commit;
vacuum (truncate off) t;
