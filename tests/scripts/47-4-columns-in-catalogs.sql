-- What catalogs say of columns: defaults, types with their modifiers, the columns of indexes; information_schema.
create type mood as enum ('sad', 'ok');
create table product (
  id serial primary key,
  name varchar(40) not null default 'new',
  price numeric(8,2) default 9.99 check (price > 0),
  qty int not null default 0,
  total numeric generated always as (price * qty) stored,
  made timestamptz default now(),
  day date default current_date,
  tags text[] default '{}',
  how mood,
  big bigint generated always as identity,
  code char(3),
  flag boolean default true,
  note text default 'it''s'
);
create index product_two on product (name, qty desc) include (price);
create index product_expr on product (lower(name), id);
select attname, format_type(atttypid, atttypmod), attnotnull, atthasdef from pg_attribute where attrelid = 'product'::regclass and attnum > 0 order by attnum;
select a.attname, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = 'product'::regclass order by a.attnum;
select indexrelid::regclass, indnatts, indkey from pg_index where indrelid = 'product'::regclass order by indexrelid;
select i.indexrelid::regclass, a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = 'product'::regclass and i.indisprimary;
select table_name, table_type, is_insertable_into from information_schema.tables where table_name = 'product';
select column_name, ordinal_position, column_default, is_nullable, data_type from information_schema.columns where table_name = 'product' order by ordinal_position;
select column_name, character_maximum_length, numeric_precision, numeric_scale, datetime_precision, is_identity, identity_generation, is_generated, generation_expression from information_schema.columns where table_name = 'product' order by ordinal_position;
select format_type(23, null), format_type(1043, 14), format_type(1042, null), format_type(0, 0), format_type('mood'::regtype, null), format_type(null, 3);
create table more (a real[], b timestamp[], c interval[], d jsonb[], e date[]);
insert into more values ('{1.5,NaN,NULL}', array['2024-01-01 10:00'::timestamp], '{1 day}', array['{"a": 1}'::jsonb], '{2024-02-28,infinity,-infinity,NULL}');
select a, b, c, d, e, a[1], array_length(e, 1), cardinality(a), pg_column_size(a), pg_column_size(e) from more;
update more set a = array_append(a, 3.5), e = e || date '2024-03-01' returning a, e;
update more set a[6] = 9 returning a;
select u.v, u.n from more, unnest(e) with ordinality as u(v, n) order by n;
select 1.5::real = any (a), a[2:3] from more;
select column_name, data_type from information_schema.columns where table_name = 'more';
