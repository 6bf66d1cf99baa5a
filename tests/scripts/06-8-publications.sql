-- The first UPDATE or DELETE of a permanent table since it was opened looks up the table's publications (CheckCmdReplicaIdentity), in 13 and 14 only where
-- nothing names its rows: a snapshot for catalogs is taken, and a transaction that keeps its own kills entries up to a newer horizon from then on.
--@ session C
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
create table t (a int primary key, b int);
create table n (a int, b int);
create index n_a on n (a);
create table w (a int primary key, b int);
insert into t select g from generate_series(1, 100) g;
insert into n select g from generate_series(1, 100) g;
insert into w select g from generate_series(1, 100) g;
--@ session C
select count(*) from t where a < 5;
select count(*) from n where a < 5;
update w set b = 0 where a = 60;
--@ session B
begin isolation level repeatable read;
select count(*) from t;
--@ session A
delete from t where a < 20;
delete from n where a < 20;
--@ session C
begin isolation level repeatable read;
select count(*) from t where a < 30;
--@ session B
commit;
--@ session A
insert into w values (1000);
--@ session C
select count(*) from t where a < 30;
update w set b = 0 where a = 61;
select count(*) from t where a < 30;
update t set b = 0 where a = 60;
select count(*) from t where a < 30;
update n set b = 0 where a = 60;
select count(*) from n where a < 30;
commit;
-- known now
--@ session B
begin isolation level repeatable read;
select count(*) from t;
--@ session A
delete from t where a between 20 and 40;
delete from n where a between 20 and 40;
--@ session C
begin isolation level repeatable read;
select count(*) from t where a < 60;
--@ session B
commit;
--@ session A
insert into w values (1001);
--@ session C
update t set b = 0 where a = 61;
select count(*) from t where a < 60;
update n set b = 0 where a = 61;
select count(*) from n where a < 60;
commit;
-- not of an unlogged table; in 13 and 14 not of one whose rows are named whole
--@ session A
create unlogged table u (a int primary key, b int);
create table f (a int primary key, b int);
alter table f replica identity full;
insert into u select g from generate_series(1, 100) g;
insert into f select g from generate_series(1, 100) g;
--@ session C
select count(*) from u where a < 5;
select count(*) from f where a < 5;
--@ session B
begin isolation level repeatable read;
select count(*) from u;
--@ session A
delete from u where a < 20;
delete from f where a < 20;
--@ session C
begin isolation level repeatable read;
select count(*) from u where a < 30;
--@ session B
commit;
--@ session A
insert into w values (1002);
--@ session C
update u set b = 0 where a = 60;
select count(*) from u where a < 30;
insert into f values (101, 1);
select count(*) from f where a < 30;
delete from f where a = 61;
select count(*) from f where a < 30;
select count(*) from u where a < 30;
commit;
