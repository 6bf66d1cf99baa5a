-- Arrays whose elements are not counted from 1, and null bitmaps that stay when no element is NULL any more.
create table rec (id int primary key, m int[], s text[], b bigint[]) with (autovacuum_enabled = off);
insert into rec select g, array[g, g + 1], array['x' || g], array[g::bigint] from generate_series(1, 8) g;
update rec set m[5] = 16 where id < 4;
update rec set m = m[1:2] where id < 3;
update rec set m[3] = 1, m[4] = 2 where id = 3;
select id, m, array_dims(m), pg_column_size(m) from rec order by id;
insert into rec (id) values (9), (10);
update rec set m[10] = 1 where id = 9 returning m;
update rec set m[-1] = 7 where id = 9 returning m;
update rec set s[0] = 'zero', b[3] = 30 where id = 1 returning s, b, pg_column_size(b);
update rec set s[-3] = 'minus' where id = 1 returning s;
select id, m[0], m[10], m[-1:2], m[9:] from rec where id > 8 order by id;
select array_append(m, 3), m || 4, 5 || m, m || m, array_prepend(0, m) from rec where id in (1, 9) order by id;
select pg_column_size(array_append(m, 3)), pg_column_size(m || 4), pg_column_size(m || array[1]) from rec where id in (1, 2, 3, 9) order by id;
update rec set m = m || 1, b = b || 1::bigint where id < 9;
update rec set m = array_cat(m, '{}'), s = array_cat('{}', s) where id in (1, 9);
select id, m, s, b from rec order by id;
vacuum rec;
-- arrays of what is aligned to 8 bytes are aligned so themselves, where their header has 4 bytes
create table al (a int, b bigint[], c int, d timestamp[], e text[], f float8[], g smallint[]) with (autovacuum_enabled = off);
insert into al select 1, array_agg(g::bigint), 2, array_agg(timestamp '2024-01-01' + g * interval '1 day'), array_agg('e' || g), array_agg(g::float8), array_agg(g::smallint)
  from generate_series(1, 30) g;
insert into al select 1, array_agg(g::bigint), 2, null, array_agg('e' || g), array_agg(g::float8), array_agg(g::smallint) from generate_series(1, 3) g;
update al set a = 2, b = b || 7::bigint, f = array_append(f, 1.5::float8), g = 1::smallint || g, d = array_append(d, timestamp '2020-02-02');
select attname, attalign, attstorage from pg_attribute where attrelid = 'al'::regclass and attnum > 0 order by attnum;
select a, pg_column_size(al) from al;
