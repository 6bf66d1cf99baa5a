-- heap_wal 7.1, 7.2: VACUUM of a table without an index; then the freed line pointers are used again.
create table t (a int, b text);
insert into t select g, 'row ' || g from generate_series(1, 500) g;
delete from t where a % 3 = 0;
vacuum t;
vacuum t;
insert into t select g, 'again' from generate_series(1000, 1100) g;
delete from t where a > 400;
vacuum t;
delete from t;
vacuum t;
-- blocks t: 0
insert into t values (1, 'x');
vacuum t;
