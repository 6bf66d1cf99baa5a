-- heap_wal.md: pg_column_size of a row counts what dropped columns still have in it; beside a function that reads the
-- value, pg_column_size of a column is that of what is stored.
create table s701_person (id int primary key, photo text, name text not null, n smallint, u uuid, at timestamptz);
insert into s701_person select g, repeat('Zm9v', 30), 'name' || g, g, null, '2024-01-01 00:00+00' from generate_series(1, 2) g;
alter table s701_person drop column photo;
insert into s701_person values (3, 'x', 4, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
select pg_column_size(p.*), pg_column_size(p), pg_column_size(row(p.*)) from s701_person p order by id;
alter table s701_person drop column n, drop column u, drop column at;
select pg_column_size(p.*), count(*) from s701_person p group by 1 order by 1;
create table s701_doc (id int, doc jsonb);
insert into s701_doc values (1, (select jsonb_agg(i) from generate_series(1, 2000) i)), (2, '[1]');
select id, pg_column_size(doc) < octet_length(doc::text) as smaller, pg_column_size(doc), pg_column_size(d) from s701_doc d;
select atttypid::regtype from pg_attribute where attrelid = 's701_doc'::regclass and attnum > 0 order by attnum;
select 'bpchar'::regtype, pg_typeof('a'::char(3));
