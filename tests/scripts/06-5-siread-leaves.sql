-- SIREAD locks of index scans: on rows and on leaves, so that gaps are locked too (PredicateLockPage, PredicateLockTID); other leaves are no conflict.
create table t (a int primary key, b int);
insert into t select g, 1 from generate_series(1, 1000) g;
vacuum t;
analyze t;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
begin isolation level serializable;
select b from t where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a = 990;
update t set b = 2 where a = 1;
--@ session A
update t set b = 2 where a = 990;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 10;
--@ session B
begin isolation level serializable;
select b from t where a = 800;
insert into t values (-10, 0);
--@ session A
insert into t values (1001, 0);
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 5000;
--@ session B
begin isolation level serializable;
select b from t where a = 5001;
insert into t values (5000, 0);
--@ session A
insert into t values (5001, 0);
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a = 100;
--@ session B
begin isolation level serializable;
select b from t where a = 101;
update t set b = 7 where a = 102;
--@ session A
update t set b = 7 where a = 103;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where a between 366 and 368;
select b from t where a > 366 and a < 370;
--@ session B
begin isolation level serializable;
select b from t where a = 740 order by a desc;
insert into t values (-1, 1);
--@ session A
insert into t values (2000, 1);
commit;
--@ session B
commit;
select count(*) from t;
--@ session A
begin isolation level serializable;
select b from t where a = 10;
--@ session B
begin isolation level serializable;
select b from t where a = 800;
insert into t values (3000, 0);
--@ session A
insert into t values (-20, 0);
commit;
--@ session B
commit;
