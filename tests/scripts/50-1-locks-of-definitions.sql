-- pg_locks within a transaction that changes definitions: new relations, their schema, indexes that are built.
create table t (id int primary key, v int, w text);
create table plain (a int not null, b int);
insert into t select g, g, 'x' from generate_series(1, 10) g;
insert into plain select g, g from generate_series(1, 10) g;
create view held as
  select l.locktype, l.relation::regclass::text as rel, l.classid::regclass::text as class, l.mode, l.fastpath
    from pg_locks l
   where l.pid = pg_backend_pid() and l.locktype in ('relation', 'object')
     and coalesce(l.relation::regclass::text, '') !~ '^(pg_catalog.)?pg_[a-su-z]';
begin;
alter table t add column x int;
select * from held where rel not like 'pg_toast%' order by 1, 2, 3, 4;
alter table t alter column v set not null, alter column x set default 5;
alter table plain alter column b set statistics 200;
select rel, mode from held where rel in ('t', 'plain') order by 1, 2;
rollback;
begin;
create index t_v on t (v);
select * from held order by 1, 2, 3, 4;
rollback;
begin;
create table n (id int primary key, a int);
select * from held order by 1, 2, 3, 4;
insert into n values (1, 1);
select * from held order by 1, 2, 3, 4;
rollback;
begin;
create table n (id int unique, v text);
select locktype, mode, class, count(*) from held group by 1, 2, 3 order by 1, 2, 3;
select * from held where rel is null or rel not like 'pg_toast%' order by 1, 2, 3, 4;
rollback;
begin;
create sequence s;
select * from held order by 1, 2, 3, 4;
rollback;
begin;
truncate plain;
select * from held order by 1, 2, 3, 4;
rollback;
begin;
truncate t;
select locktype, mode, count(*) from held group by 1, 2 order by 1, 2;
select * from held where rel not like 'pg_toast%' order by 1, 2, 3, 4;
rollback;
begin;
alter table plain add constraint positive check (a > 0);
alter table plain add constraint plain_b unique (b);
select * from held order by 1, 2, 3, 4;
alter table plain drop column b;
select * from held where rel = 'plain' order by 1, 2, 3, 4;
rollback;
begin;
alter table plain set (fillfactor = 50);
select * from held order by 1, 2, 3, 4;
alter table plain rename column a to aa;
select * from held order by 1, 2, 3, 4;
alter table plain rename to fancy;
select * from held order by 1, 2, 3, 4;
rollback;
begin;
alter index t_pkey rename to t_key;
select * from held order by 1, 2, 3, 4;
rollback;
begin;
create view seen as select * from plain;
select * from held order by 1, 2, 3, 4;
rollback;
-- other catalogs are locked too, with their indexes
begin;
select relname from pg_class where relname = 'plain';
select locktype, relation::regclass, mode, granted from pg_locks where pid = pg_backend_pid() order by 2, 1, 3;
select nspname from pg_namespace where nspname = 'public';
select indisprimary from pg_index where indrelid = 't'::regclass;
select locktype, relation::regclass, mode, granted, fastpath from pg_locks where pid = pg_backend_pid() order by 2, 1, 3;
select count(*) from pg_locks where pid = pg_backend_pid() and database = 0;
commit;
create view of_own as
  select relation::regclass as rel, mode from pg_locks
   where pid = pg_backend_pid() and locktype = 'relation'
     and relation in (select oid from pg_class where relname in ('t', 't_pkey', 'plain'));
begin;
select count(*) from t;
select rel, mode from of_own order by rel::text, mode;
update t set v = 0 where id = 1;
select rel, mode from of_own order by rel::text, mode;
select l.relation::regclass, mode from pg_locks l where pid = pg_backend_pid() and coalesce(relation, 0) <> 'pg_locks'::regclass order by 1, 2;
commit;
begin;
update t set v = 0 where id = 1;
select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid() order by 1, 2;
select c.relname, c.relkind, l.mode, l.granted from pg_class c, pg_locks l where c.oid = l.relation and l.pid = pg_backend_pid() and c.relname not like 'pg_%' order by 1, 2;
select l.locktype, c.relname, l.mode from pg_locks l left join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid() and l.locktype = 'relation' order by 2, 3;
rollback;
