-- heap_wal 7.7: the lock for cutting off a table's end takes a transaction id, also of an unlogged table
create unlogged table t (a int);
insert into t select generate_series(1, 500);
delete from t where a > 100;
vacuum t;
create table u (a int);
insert into u values (1);
