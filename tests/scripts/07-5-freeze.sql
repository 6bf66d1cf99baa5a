-- heap_wal 7.5: freezing by age and by images: with a checkpoint before, pages whose records carry an image are frozen from 16 on.
create table t (a int primary key, b char(900));
insert into t select g, 'x' from generate_series(1, 40) g;
begin;
delete from t where a = 9;
rollback;
select * from t where a = 10 for update;
delete from t where a in (1, 12, 23, 34);
checkpoint;
vacuum t;
update t set b = 'y' where a = 20;
checkpoint;
vacuum (freeze) t;
vacuum t;
