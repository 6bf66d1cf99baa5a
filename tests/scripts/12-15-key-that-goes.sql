-- Rows that refer to a key that goes are looked for as of now, whatever snapshot the transaction keeps (ri_PerformCheck, detectNewRows), so that
-- a row that came meanwhile is no conflict of SERIALIZABLE; the row that a new one refers to is looked for with the transaction's snapshot.
create table t (a int primary key, b int);
create table f (a int primary key, b int references t);
create table u (a int primary key, b int);
insert into t select g, g from generate_series(1, 10) g;
insert into u values (1, 1), (2, 2);
set enable_seqscan = off;
--@ session B
set enable_seqscan = off;
begin isolation level serializable;
select b from u where a = 1;
--@ session A
begin isolation level serializable;
insert into f values (1, 5);
select b from u where a = 2;
commit;
--@ session B
update t set a = 11 where a = 7;
delete from t where a = 8;
delete from t where a = 5;
rollback;
begin isolation level repeatable read;
select b from u where a = 1;
--@ session A
insert into t values (20, 20);
--@ session B
insert into f values (2, 20);
rollback;
begin isolation level repeatable read;
select b from u where a = 1;
--@ session A
insert into f values (3, 9);
--@ session B
delete from t where a = 9;
rollback;
begin isolation level repeatable read;
select b from u where a = 1;
--@ session A
delete from f;
--@ session B
delete from t where a = 9;
commit;
select * from t;
