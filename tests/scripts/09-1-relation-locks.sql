-- Locks on relations: definitions wait for transactions that have read or written the table, and those that come later stand behind them.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 500) g;
create table o (a int, b int);
insert into o values (1, 1), (2, 2);
--@ session B
begin;
insert into t values (1000, 1000);
--@ session A
create index t_b on t (b);
--@ session B
rollback;
begin;
select count(*) from t;
--@ session A
reindex table t;
--@ session B
select b from t where a = 7;
commit;
-- behind one that waits
begin;
select count(*) from t where a < 10;
--@ session A
alter table t add column c int default 5;
--@ session C
select c from t where a = 3;
--@ session B
commit;
-- what does not conflict
begin;
update t set b = 1 where a = 6;
--@ session A
alter table t set (fillfactor = 80);
analyze t;
vacuum t;
select count(*) from t;
--@ session B
commit;
-- a definition that another session changes, and keeps
begin;
alter table o add column z int;
--@ session A
select * from o;
--@ session B
rollback;
begin;
truncate o;
--@ session A
select * from o;
--@ session B
commit;
-- a table that is not there yet
--@ session B
begin;
create table n (a int);
insert into n values (1);
--@ session A
select * from n;
--@ session B
commit;
--@ session A
select * from n;
-- a lock of a savepoint goes with it
begin;
savepoint s;
truncate o;
--@ session B
select * from o;
--@ session A
rollback to s;
commit;
-- a deadlock of relations, and one of a row and a relation
begin;
insert into t values (2000, 1);
--@ session B
begin;
insert into o values (4, 4);
--@ session A
alter table o add column y int;
--@ session B
truncate t;
--@ session A
commit;
--@ session B
rollback;
begin;
update o set b = 9;
--@ session A
begin;
update t set b = 9 where a = 1;
--@ session B
update t set b = 10 where a = 1;
--@ session A
alter table o drop column b;
commit;
--@ session B
commit;
-- VACUUM cuts off nothing while another session reads
delete from t where a > 100;
--@ session B
begin;
select count(*) from t where a = 1;
--@ session A
vacuum t;
--@ session B
commit;
--@ session A
vacuum t;
