-- SIREAD locks of subtransactions and of rows that are written, row locks, other isolation levels, duplicates, and a pivot that is found while it is idle.
create table t (a int primary key, b int);
create table u (a int primary key, b int);
insert into t select g, 1 from generate_series(1, 1000) g;
insert into u select g, 1 from generate_series(1, 1000) g;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
begin isolation level serializable;
savepoint s;
select b from t where a = 1;
rollback to s;
--@ session B
begin isolation level serializable;
select b from u where a = 1;
update t set b = 2 where a = 1;
--@ session A
update u set b = 2 where a = 1;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 5;
update t set b = 3 where a = 5;
--@ session B
begin isolation level serializable;
select b from u where a = 5;
--@ session A
update u set b = 3 where a = 5;
commit;
--@ session B
update t set b = 4 where a = 5;
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 6;
savepoint s;
update t set b = 3 where a = 6;
rollback to s;
--@ session B
begin isolation level serializable;
select b from u where a = 6;
update t set b = 4 where a = 6;
--@ session A
update u set b = 3 where a = 6;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 7;
--@ session B
begin;
select b from u where a = 7;
update t set b = 4 where a = 7;
commit;
--@ session A
update u set b = 3 where a = 7;
commit;
begin isolation level serializable;
select b from t where a = 8 for update;
--@ session B
begin isolation level repeatable read;
select b from u where a = 8;
--@ session A
update u set b = 3 where a = 8;
commit;
--@ session B
update t set b = 4 where a = 8;
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 9 for update;
--@ session B
begin isolation level serializable;
select b from u where a = 9 for update;
update t set b = 4 where a = 10;
--@ session A
update u set b = 3 where a = 10;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 2000;
--@ session B
begin isolation level serializable;
select b from t where a = 2000;
insert into t values (2000, 1);
--@ session A
insert into t values (2000, 2);
--@ session B
commit;
--@ session A
rollback;
begin isolation level serializable;
select b from t where a = 3000;
--@ session B
begin isolation level serializable;
select b from t where a = 3000;
insert into t values (3000, 1);
commit;
--@ session A
insert into t values (3000, 2);
commit;
begin isolation level serializable;
select b from u where a = 2;
--@ session B
begin isolation level serializable;
insert into t values (3001, 1);
commit;
--@ session A
insert into t values (3001, 2);
rollback;
begin isolation level serializable;
select b from t where a = 12;
--@ session B
begin isolation level serializable;
select b from t where a = 13;
--@ session A
delete from t where a = 13;
--@ session B
delete from t where a = 12;
commit;
--@ session A
select 1;
select b from u where a = 1;
select b from u where a = 1;
rollback;
