-- heap_wal 8.3: images compressed by pglz.
--@ set wal_compression on
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 50) g;
checkpoint;
update t set b = 'y' where a = 1;
insert into t values (100, 'w');
delete from t where a = 25;
vacuum t;
