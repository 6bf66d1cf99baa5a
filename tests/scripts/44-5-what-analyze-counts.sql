-- VACUUM ANALYZE counts indexes that VACUUM has not looked at; a partitioned table has the rows of all its partitions.
create table jobs (id int primary key, state text not null) with (autovacuum_enabled = off);
insert into jobs select g, 'd' from generate_series(1, 3000) g;
create index on jobs (lower(state));
vacuum jobs;
select relname, relpages, reltuples from pg_class where relname like 'jobs%' order by 1;
vacuum analyze jobs;
select relname, relpages, reltuples from pg_class where relname like 'jobs%' order by 1;
create table meas (city int, day date) partition by range (day);
create table meas_1 partition of meas for values from ('2023-01-01') to ('2023-02-01');
create table meas_2 partition of meas for values from ('2023-02-01') to ('2023-03-01');
insert into meas select g, date '2023-01-01' + g % 50 from generate_series(1, 300) g;
analyze meas;
select relname, relkind, reltuples from pg_class where relname like 'meas%' order by 1;
set enable_partition_pruning = off;
explain (costs off) select * from meas where day = '2023-02-10';
reset enable_partition_pruning;
explain (costs off) select * from meas where day = '2023-02-10';
-- what is deferrable
create table playlist (pos int unique deferrable initially deferred, song text);
alter table playlist add constraint pl_uq unique (song) deferrable;
create table part_of (p int references playlist (pos));
create table tracks (id int primary key, s int references jobs (id) deferrable initially deferred);
select conname, contype, condeferrable, condeferred, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'playlist'::regclass and contype = 'u' order by 1;
select conname, contype, condeferrable, condeferred, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'tracks'::regclass and contype = 'f' order by 1;
select indexrelid::regclass, indimmediate, indisexclusion from pg_index where indrelid = 'playlist'::regclass order by indexrelid;
