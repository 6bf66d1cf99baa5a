-- heap_wal 14.6: VACUUM gives the empty end of a table back.
create table t(a int primary key, b char(900));
insert into t select g, 'x' from generate_series(1,100) g;
-- blocks t: 13
delete from t where a > 10;
vacuum t;
-- blocks t: 2
