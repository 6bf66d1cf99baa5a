-- heap_wal 7.7: the empty end of a table is cut off, with its maps; to nothing, too.
create table t (a int, b char(900));
insert into t select g, 'x' from generate_series(1, 200) g;
vacuum t;
delete from t where a > 100;
vacuum t;
vacuum t;
insert into t values (500, 'y');
delete from t;
vacuum (truncate off) t;
vacuum t;
-- blocks t: 0
insert into t values (1, 'z');
truncate t;
-- blocks t: 0
insert into t values (2, 'z');
