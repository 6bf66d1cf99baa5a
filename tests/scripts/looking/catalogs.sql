-- The script's own relations in pg_class and its like.
create table t (a int primary key, b text not null);
create index i on t (b);
insert into t select g, 'x' from generate_series(1, 100) g;
select relname, relkind, relpages, relallvisible, relpersistence, relnatts, relhasindex from pg_class where relname in ('t', 'i', 't_pkey') order by relname;
analyze t;
select relpages, reltuples from pg_class where relname = 't';
select c.relname, x.indisunique, x.indisprimary from pg_index x join pg_class c on c.oid = x.indexrelid where x.indrelid = 't'::regclass order by 1;
select attname, attnum, attnotnull from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum;
select indexname, tablename from pg_indexes where tablename = 't' order by 1;
select oid::regclass from pg_class where oid = 't'::regclass;
select 't'::regclass::text, to_regclass('nothing') is null;
select 'nothing'::regclass;
