-- advisory locks are waited for, and shown meanwhile
create table t (id int primary key, v int);
insert into t values (1, 1);
--@ session A
select pg_advisory_lock(42);
begin;
select pg_advisory_xact_lock(7, 8);
--@ session B
select pg_try_advisory_lock(42);
select pg_advisory_lock(42);
--@ session C
select classid, objid, objsubid, mode, granted from pg_locks where locktype = 'advisory' order by 2, 4, 5;
--@ session A
select pg_advisory_unlock(42);
--@ session B
select pg_advisory_unlock(42);
begin;
select pg_advisory_xact_lock_shared(7, 8);
--@ session A
update t set v = 2;
commit;
--@ session B
select v from t;
commit;
select count(*) from pg_locks where locktype = 'advisory';
