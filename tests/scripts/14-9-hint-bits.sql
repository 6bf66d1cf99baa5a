-- heap_wal 14.9: the first SELECT after a checkpoint sets hint bits; without checksums nothing is logged.
create table t(a int, b char(60));
insert into t select g, 'x' from generate_series(1,200) g;
checkpoint;
select count(*) from t;
-- wal: none
-- blocks t: 3
insert into t values (201, 'y');
