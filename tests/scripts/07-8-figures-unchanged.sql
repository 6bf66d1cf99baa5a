-- heap_wal 3.3, 7.9: a VACUUM that finds the figures in pg_class as they are invalidates nothing, so the session goes on in its target block. From 15 on
-- relfrozenxid advances, and the next row goes where the free space map says.
create table v (id int, f char(500)) with (autovacuum_enabled = off);
insert into v select g, 'f' from generate_series(1, 56) g;
delete from v where id in (5, 20);
vacuum v;
insert into v values (100, 'block 0');
insert into v values (101, 'block 1');
delete from v where id >= 100;
vacuum v;
insert into v values (102, 'block 1 before 15, block 0 from 15 on');
