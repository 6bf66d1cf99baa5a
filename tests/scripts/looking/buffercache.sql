-- pg_buffercache: which blocks are in shared buffers, and which are dirty there.
select count(*) from pg_buffercache where relfilenode = 1;
create extension pg_buffercache;
create table cached (id int primary key, t text) with (autovacuum_enabled = off);
create view bufs as
  select relforknumber as fork, count(*) as n, count(*) filter (where isdirty) as dirty
    from pg_buffercache
   where relfilenode = pg_relation_filenode('cached')
   group by 1;
select * from bufs order by 1;
insert into cached select g, repeat('c', 100) from generate_series(1, 600) g;
select * from bufs order by 1;
checkpoint;
select * from bufs order by 1;
select count(*) from cached;
select * from bufs order by 1;
checkpoint;
select count(*) from cached;
select * from bufs order by 1;
update cached set t = 'x' where id = 1;
select relblocknumber from pg_buffercache where relfilenode = pg_relation_filenode('cached') and relforknumber = 0 and isdirty order by 1;
vacuum cached;
select * from bufs order by 1;
select c.relname, count(*) as buffers from pg_buffercache b join pg_class c on b.relfilenode = pg_relation_filenode(c.oid) where c.relname in ('cached', 'cached_pkey') group by 1 order by 1;
truncate cached;
select * from bufs order by 1;
insert into cached values (1, 'one');
select * from bufs order by 1;
create temp table tmp as select 1 as one;
select count(*) from pg_buffercache where relfilenode = pg_relation_filenode('tmp');
