-- pg_stat_activity of several sessions; amcheck, which finds nothing; names of WAL files.
create extension amcheck;
create table s707 (id int primary key, v int);
insert into s707 select g, g % 10 from generate_series(1, 500) g;
create index s707_v on s707 (v);
create index s707_b on s707 using brin (v);
select bt_index_check('s707_pkey'), bt_index_check('s707_v', false), bt_index_parent_check('s707_v');
select bt_index_check('s707_v', true);
select bt_index_check('s707');
select bt_index_check('s707_b');
select bt_index_check(c.oid, i.indisunique) from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 's707'::regclass and c.relname <> 's707_b' order by c.relname;
select * from pg_walfile_name_offset('0/55FFFB0');
--@ session B
begin;
update s707 set v = v + 1 where id = 1;
--@ session C
begin isolation level repeatable read;
select count(*) from s707;
--@ session A
select state, backend_xid is not null as has_xid, backend_xmin is not null as holds, wait_event_type, wait_event from pg_stat_activity where datid = (select datid from pg_stat_activity where pid = pg_backend_pid()) and state like 'idle in transaction%' order by 2;
select count(*) from pg_stat_activity where datid = (select datid from pg_stat_activity where pid = pg_backend_pid()) and state = 'active' and backend_xmin is not null and backend_xid is not null;
--@ session D
update s707 set v = 0 where id = 1;
--@ session A
select state, wait_event_type, wait_event, cardinality(pg_blocking_pids(pid)) from pg_stat_activity where datid = (select datid from pg_stat_activity where pid = pg_backend_pid()) and wait_event_type = 'Lock' and state = 'active' and cardinality(pg_blocking_pids(pid)) > 0;
--@ session B
select 1 / 0;
--@ session A
select state, backend_xid is not null as has_xid from pg_stat_activity where datid = (select datid from pg_stat_activity where pid = pg_backend_pid()) and state like '%(aborted)';
--@ session B
rollback;
--@ session C
commit;
--@ session A
select age(backend_xmin) >= 0 as has_age from pg_stat_activity where backend_xmin is not null and pid = pg_backend_pid();
