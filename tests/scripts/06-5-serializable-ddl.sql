-- Definitions change under SERIALIZABLE: TRUNCATE and DROP TABLE write all rows, locks on what is rebuilt become locks on the table (DropAllPredicateLocksFromTable).
create table t (a int primary key, b int);
create table u (a int primary key, b int);
insert into t select g, 1 from generate_series(1, 300) g;
insert into u select g, 1 from generate_series(1, 300) g;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session C
create table e (a int);
begin isolation level serializable;
select * from e;
--@ session A
begin isolation level serializable;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 5;
update u set b = 0 where a = 1;
commit;
--@ session A
truncate t;
commit;
rollback;
select count(*) from t;
begin isolation level serializable;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 5;
update u set b = 0 where a = 1;
commit;
--@ session A
drop table t;
rollback;
begin isolation level serializable;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 5;
update u set b = 0 where a = 1;
commit;
reindex table t;
--@ session A
insert into t values (1000, 1);
rollback;
begin isolation level serializable;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 5;
update u set b = 0 where a = 1;
commit;
alter table t add column c serial;
--@ session A
insert into t values (1001, 1);
rollback;
begin isolation level serializable;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 5;
update u set b = 0 where a = 1;
commit;
--@ session A
alter table t add column d int;


copy t (a, b) from stdin;
4000	1
\.
rollback;
--@ session C
commit;
select 1;
