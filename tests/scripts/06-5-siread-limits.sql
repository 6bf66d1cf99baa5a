-- How many SIREAD locks a transaction may have on rows of a block, and within a relation: max_pred_locks_per_page and _per_relation (MaxPredicateChildLocks).
create table t (a int primary key, b int);
insert into t select g, 1 from generate_series(1, 2000) g;
create table u (a int primary key, b int);
insert into u select g, 1 from generate_series(1, 300) g;
vacuum analyze t;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ set max_pred_locks_per_page 4
--@ session A
begin isolation level serializable;
select b from t where a between 1 and 4;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from u where a = 2;
update t set b = 0 where a = 9;
--@ session A
update u set b = 0 where a = 2;
commit;
--@ session B
commit;
begin isolation level serializable;
select b from t where a between 1 and 5;
--@ session A
begin isolation level serializable;
select b from u where a = 2;
update t set b = 2 where a = 20;
--@ session B
update u set b = 5 where a = 2;
commit;
--@ session A
commit;
--@ set max_pred_locks_per_page 0
--@ set max_pred_locks_per_relation 3
begin isolation level serializable;
select b from t where a in (1, 400, 800);
--@ session B
begin isolation level serializable;
select b from u where a = 7;
update t set b = 7 where a = 1600;
--@ session A
update u set b = 7 where a = 7;
commit;
--@ session B
commit;
begin isolation level serializable;
select b from t where a in (1, 400, 800, 1200);
--@ session A
begin isolation level serializable;
select b from u where a = 8;
update t set b = 7 where a = 1700;
--@ session B
update u set b = 8 where a = 8;
commit;
--@ session A
commit;
--@ set max_pred_locks_per_relation -16
begin isolation level serializable;
select b from t where a in (1, 400);
--@ session B
begin isolation level serializable;
select b from u where a = 9;
update t set b = 9 where a = 1800;
--@ session A
update u set b = 9 where a = 9;
commit;
--@ session B
commit;
--@ set max_pred_locks_per_relation -2
--@ set max_pred_locks_per_page 2
select sum(b) from t;
