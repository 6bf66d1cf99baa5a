-- What catalogs and messages say of ranges, GiST indexes and exclusion constraints; columns of ranges copied, joined, grouped.
create extension btree_gist;
create table b (id int primary key, room int not null, during tsrange not null check (not isempty(during)), gone boolean default false,
  constraint no_overlap exclude using gist (room with =, during with &&) where (not gone));
create index b_during on b using gist (during);
copy b (id, room, during) from stdin;
1	1	[2024-01-01,2024-01-02)
2	1	[2024-01-02,2024-01-03)
3	2	["2024-01-01 10:00","2024-01-01 12:00"]
\.
select conname, contype, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'b'::regclass and contype in ('x', 'c', 'p') order by conname;
select pg_get_indexdef(indexrelid), indisunique from pg_index where indrelid = 'b'::regclass order by indexrelid;
select indexname, indexdef from pg_indexes where tablename = 'b' order by indexname;
select relname, amname from pg_class c join pg_am a on a.oid = c.relam where relname in ('b', 'no_overlap', 'b_during', 'b_pkey') order by relname;
select attname, attnum from pg_attribute where attrelid = 'b'::regclass and attnum > 0 order by attnum;
select typname from pg_type where oid = 'int4range'::regtype;
select room, count(*), min(lower(during)), max(upper(during)) from b group by room order by room;
select a.id, c.id from b a join b c on a.room = c.room and a.id < c.id where a.during -|- c.during order by 1, 2;
select during, array_agg(id) from b group by during order by during;
select pg_typeof(during), pg_column_size(during) from b order by id;
select id from b where during in ('[2024-01-01,2024-01-02)', '[2024-01-02,2024-01-03)') order by id;
select coalesce(null::int4range, '[1,2)'), case when true then int4range(1, 2) end, greatest(int4range(1, 2), int4range(1, 3));
select min(during) from b;
select lower_inc('x');
