-- heap_wal 3.2, 3.3, 3.6: which page a row goes to: the target block, the free space map, the last page; fillfactor.
create table t (a int, b char(500)) with (fillfactor = 70);
insert into t select g, 'x' from generate_series(1, 30) g;
-- blocks t: 3
insert into t values (31, 'y');
delete from t where a between 3 and 9;
vacuum t;
insert into t select g, 'z' from generate_series(40, 45) g;
delete from t where a between 12 and 20;
vacuum t;
insert into t select g, 'z' from generate_series(50, 70) g;
create table f (a int, b text) with (fillfactor = 10);
insert into f select g, repeat('x', g * 60) from generate_series(1, 25) g;
insert into f values (100, repeat('y', 1990));
vacuum f;
insert into f select g, repeat('x', g * 60) from generate_series(1, 25) g;
