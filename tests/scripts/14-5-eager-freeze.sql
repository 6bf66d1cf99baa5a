-- heap_wal 14.5: pages that get an image anyway are frozen by VACUUM from 16 on.
create table t(a int primary key, b char(900));
insert into t select g, 'x' from generate_series(1,32) g;
-- blocks t: 4
delete from t where a % 5 = 0;
checkpoint;
vacuum t;
