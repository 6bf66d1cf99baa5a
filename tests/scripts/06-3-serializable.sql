-- A SERIALIZABLE transaction looks at what it reads as VACUUM does, too, for conflicts: that sets hint bits of locks that are over (HeapCheckForSerializableConflictOut).
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 30) g;
select * from t where a = 1 for update;
select * from t where a = 2 for share;
update t set b = 0 where a = 3;
begin isolation level serializable;
select count(*) from t;
commit;
select * from t where a = 4 for key share;
select * from t where a = 5 for update;
--@ session B
begin isolation level serializable read only;
select * from t where a = 4;
select count(*) from t;
commit;
--@ session A
set enable_seqscan = off;
begin isolation level serializable;
select * from t where a = 4;
--@ session B
begin isolation level serializable read only;
select b from t where a = 5;
commit;
--@ session A
update t set b = 1 where a = 6;
commit;
set enable_indexscan = off;
select * from t where a = 7 for update;
begin isolation level serializable;
select * from t where a = 7;
rollback;
vacuum t;
select * from t where a = 8 for update;
begin isolation level repeatable read;
select count(*) from t;
commit;
begin isolation level serializable;
select count(*) from t;
commit;
