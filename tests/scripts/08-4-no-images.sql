-- heap_wal 8.2: without full_page_writes.
--@ set full_page_writes off
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 50) g;
checkpoint;
update t set b = 'y' where a = 1;
delete from t where a = 25;
vacuum t;
