-- heap_wal 9.3, 2.9: DELETE, of a row made by the same transaction too (combo command ids).
create table t (a int, b int);
insert into t select g, g from generate_series(1, 10) g;
delete from t where a = 1;
-- wal: DELETE 54
begin;
insert into t values (20, 1);
update t set b = 2 where a = 20;
update t set b = 3 where a = 20;
delete from t where a = 20;
delete from t where a = 2;
select count(*) from t;
commit;
select count(*) from t;
delete from t;
select count(*) from t;
vacuum t;
