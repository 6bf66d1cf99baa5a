-- heap_wal 2.9: locks of several sessions on one row make a multixact.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 5) g;
begin;
select * from t where a = 1 for key share;
--@ session B
begin;
select * from t where a = 1 for share;
select * from t where a = 2 for key share;
--@ session A
update t set b = 20 where a = 2;
--@ session C
select * from t where a = 1 for key share;
--@ session B
commit;
--@ session A
commit;
select * from t;
vacuum (freeze) t;
