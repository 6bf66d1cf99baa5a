-- Constraints as information_schema and pg_constraint tell them; conditions as they were written.
create table customers (id serial primary key, email text unique not null, created date default '2024-01-01');
create table orders (
  id serial primary key,
  customer_id int not null references customers (id) on delete cascade,
  total numeric(10,2) check (total >= 0),
  amount int check (amount > 0 and amount < 100),
  status text default 'new',
  unique (customer_id, total) deferrable initially deferred
);
create index orders_status_idx on orders (status) where status <> 'done' and total > 10;
select tc.table_name, kcu.column_name, ccu.table_name as foreign_table_name, ccu.column_name as foreign_column_name
  from information_schema.table_constraints as tc
  join information_schema.key_column_usage as kcu
    on tc.constraint_name = kcu.constraint_name and tc.table_schema = kcu.table_schema
  join information_schema.constraint_column_usage as ccu on ccu.constraint_name = tc.constraint_name
 where tc.constraint_type = 'FOREIGN KEY' and tc.table_name = 'orders';
select constraint_name, constraint_type, is_deferrable, initially_deferred, enforced
  from information_schema.table_constraints
 where table_name = 'orders' and constraint_name not like '%not_null' order by 1;
select table_name, constraint_type, count(*) from information_schema.table_constraints
 where table_name in ('orders', 'customers') group by 1, 2 order by 1, 2;
select constraint_name, check_clause from information_schema.check_constraints
 where constraint_name like 'orders_%' and constraint_name not like '%not_null' order by 1;
select constraint_name, unique_constraint_name, match_option, update_rule, delete_rule
  from information_schema.referential_constraints order by 1;
select constraint_name, column_name, ordinal_position, position_in_unique_constraint
  from information_schema.key_column_usage where table_name = 'orders' order by 1, 3;
select conname, contype, confkey, pg_get_constraintdef(oid) from pg_constraint
 where conrelid = 'orders'::regclass and contype <> 'n' order by conname;
select c.conname, n.oid = (select relnamespace from pg_class where relname = 'orders') from pg_constraint c
  join pg_namespace n on n.oid = c.connamespace where c.conname like 'orders%' and c.contype <> 'n' order by 1;
select pg_get_indexdef('orders_status_idx'::regclass) like '%WHERE ((status <> ''done''::text) AND (total > (10)::numeric))';
select i.relname, a.attname from pg_class t, pg_class i, pg_index ix, pg_attribute a
 where t.oid = ix.indrelid and i.oid = ix.indexrelid and a.attrelid = t.oid and a.attnum = any(ix.indkey)
   and t.relkind = 'r' and t.relname like 'ord%' order by 1, 2;
select indexrelid::regclass from pg_index where not indisvalid;
select count(*) > 1 from pg_class c left join pg_namespace n on n.oid = c.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_toast' and c.relkind = 'r';
select count(*) > 3 from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'S') and nspname <> 'pg_catalog' and nspname <> 'information_schema';
select count(*) > 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema');
select count(*) > 1 from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema');
