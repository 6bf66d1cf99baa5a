-- heap_wal 7.5, FreezeMultiXactId: VACUUM takes away a multixact that only locked once no transaction is in it, however young, from 16 on an update
-- too; a transaction counts as in all that came after its first lock.
create table t (a int primary key, b int);
create table u (a int primary key);
insert into t select g, g from generate_series(1, 8) g;
insert into u values (1);
begin;
select a from t where a = 1 for share;
update t set b = 0 where a = 4;
savepoint s;
select a from t where a = 1 for update;
update t set b = b + 1 where a = 2;
commit;
vacuum t;
begin;
select a from t where a = 3 for no key update;
select a from t where a = 7 for key share;
savepoint s;
update t set b = b + 1 where a = 3;
update t set b = b + 1 where a = 7;
commit;
vacuum t;
--@ session B
begin;
select a from u where a = 1 for share;
--@ session A
begin;
select a from t where a = 5 for share;
select a from t where a = 6 for share;
savepoint s;
select a from t where a = 5 for update;
update t set b = b + 1 where a = 6;
commit;
select a from t where a = 5;
vacuum t;
--@ session B
commit;
--@ session A
vacuum t;
