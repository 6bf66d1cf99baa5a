-- A CASE that gives the name of a relation, compared with LIKE, asks for locks on relations.
create table stock (item_id int primary key, qty int);
begin;
select count(*) from stock;
select relation::regclass::text from pg_locks where pid = pg_backend_pid() and relation::regclass::text is distinct from 'my_locks' and (case locktype when 'relation' then relation::regclass::text end) like 'stock%' order by 1;
select relation::regclass::text from pg_locks where pid = pg_backend_pid() and (relation is null or relation >= 16384) and (case locktype when 'relation' then relation::regclass::text end) like 'stock%' order by 1;
select relation::regclass::text from pg_locks where pid = pg_backend_pid() and (case locktype when 'relation' then relation::regclass::text when 'transactionid' then 'xid' end) like 'stock%' order by 1;
select relation::regclass::text from pg_locks where pid = pg_backend_pid() and (case locktype when 'relation' then relation::regclass::text when 'advisory' then classid || '/' || objid end) like 'stock%' order by 1;
select relation::regclass::text from pg_locks where pid = pg_backend_pid() and locktype in ('relation', 'tuple') and (case locktype when 'relation' then relation::regclass::text end) like 'stock%' order by 1;
create index stock_qty on stock (qty);
select relation::regclass::text, mode from pg_locks where pid = pg_backend_pid() and (case locktype when 'relation' then relation::regclass::text end) like 'stock%' order by 1, 2;
commit;
