-- heap_wal 6.1: hint bits of committed and aborted insertions, deletions and locks, set by the first scan; an index scan visits only its row.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 400) g;
begin;
insert into t values (1000, 1);
rollback;
begin;
delete from t where a = 3;
rollback;
select * from t where a = 4 for update;
select b from t where a = 5;
select count(*) from t;
set enable_seqscan = off;
delete from t where a = 6;
select b from t where a = 6;
select b from t where a between 7 and 9;
reset enable_seqscan;
select count(*) from t;
