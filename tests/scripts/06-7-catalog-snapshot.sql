-- A transaction that keeps its snapshot learns of a newer horizon only by reading a catalog: with a snapshot for catalogs, which it takes when it opens a table that
-- it does not know, or of which it hears that it has changed. Until then it kills no entries that were still needed when it began.
--@ session C
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
create table t (a int primary key);
create table v (a int primary key);
create table w (a int primary key);
insert into t select g from generate_series(1, 100) g;
insert into v select g from generate_series(1, 100) g;
insert into w select g from generate_series(1, 100) g;
--@ session C
select count(*) from t where a < 5;
select count(*) from w where a < 5;
--@ session B
begin isolation level repeatable read;
select count(*) from t;
--@ session A
delete from t where a < 20;
delete from v where a < 20;
delete from w where a < 20;
--@ session C
begin isolation level repeatable read;
select count(*) from t where a < 30;
--@ session B
commit;
--@ session A
insert into t values (1000);
-- C knows both tables, and that every operator is the same as before
--@ session C
select count(*) from t where a < 30;
select count(*) from w where a < 30;
-- it does not know this one
select count(*) from v where a < 30;
select count(*) from t where a < 30;
select count(*) from w where a < 30;
commit;
-- a change of another table makes it read nothing
--@ session B
begin isolation level repeatable read;
select count(*) from t;
--@ session A
delete from w where a between 30 and 50;
--@ session C
begin isolation level repeatable read;
select count(*) from w where a < 70;
--@ session B
commit;
--@ session A
insert into t values (1001);
analyze t;
--@ session C
select count(*) from w where a < 70;
--@ session A
analyze w;
--@ session C
select count(*) from w where a < 70;
commit;
