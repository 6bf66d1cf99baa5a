-- heap_wal 10.2, 10.3: a crash after a checkpoint; replay brings the pages back, without hint bits and command ids.
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 30) g;
checkpoint;
update t set b = 'y' where a = 1;
begin;
insert into t values (100, 'w');
insert into t values (101, 'w');
commit;
delete from t where a = 25;
select count(*) from t;
--@ crash
select count(*) from t;
insert into t values (102, 'v');
vacuum t;
