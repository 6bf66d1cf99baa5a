-- heap_wal 5.3: REPEATABLE READ begins with the first statement that needs a snapshot; SET and CHECKPOINT need none
create table t (a int, b int);
insert into t values (1, 1);
begin isolation level repeatable read;
set enable_seqscan = on;
checkpoint;
--@ session B
insert into t values (2, 2);
--@ session A
select a from t;
--@ session B
insert into t values (3, 3);
--@ session A
select a from t;
commit;
select a from t;
