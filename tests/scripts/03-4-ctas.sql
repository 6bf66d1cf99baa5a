-- heap_wal 3.4: CREATE TABLE AS keeps pages for itself; from 16 on it extends by ever more of them.
create table t as select g as a, repeat('x', 75) as b from generate_series(1, 3000) g;
-- blocks 13-15 t: 40
-- blocks 16- t: 64
-- status: SELECT 3000
insert into t values (0, 'y');
vacuum t;
insert into t select g, repeat('x', 75) from generate_series(1, 100) g;
