-- Keys that are uuids: mostly the first half tells their order, and where it is the same the whole value does (uuid_cmp; uuid_abbrev_convert when sorted).
create table u (id uuid primary key, o int, k uuid, t text);
create index u_desc on u (k desc nulls first);
create index u_two on u (k, o);
-- in no order; of the second column many share the first half, and some are NULL
insert into u select md5(g::text)::uuid, g % 7,
  case when g % 11 = 0 then null else ('00000000-0000-' || lpad((g % 3)::text, 4, '0') || '-' || substr(md5(g::text), 1, 4) || '-' || lpad((g * 7919 % 1009)::text, 12, '0'))::uuid end, 'x'
  from generate_series(1, 6000) g;
-- the first half is the same, and so is the whole value
create table d (k uuid, o int);
create index d_k on d (k);
create index d_desc on d (k desc, o);
insert into d select ('00000000-0000-0000-' || lpad((g * 37 % 100)::text, 4, '0') || '-000000000000')::uuid, g from generate_series(1, 1500) g;
insert into d select (repeat('f', 16) || lpad((g * 7919 % 3001)::text, 16, '0'))::uuid, g from generate_series(1, 1500) g;
insert into d select null, g from generate_series(1, 20) g;
-- each right behind the one before, and each before it
insert into d select ('70000000-0000-0000-0000-' || lpad(g::text, 12, '0'))::uuid, g from generate_series(1, 400) g;
insert into d select ('60000000-0000-0000-0000-' || lpad((900 - g)::text, 12, '0'))::uuid, g from generate_series(1, 400) g;
insert into d select (lpad((g * 1000)::text, 8, '0') || '-0000-0000-0000-000000000000')::uuid, g from generate_series(1, 400) g;
-- duplicates: of the same half it is only the same value
create table q (id uuid, o int, unique (id, o));
create unique index q_id on q (id);
insert into q select ('00000000-0000-0000-0000-' || lpad((g * 77 % 1000)::text, 12, '0'))::uuid, g from generate_series(1, 700) g;
insert into q values ('00000000-0000-0000-0000-000000000077', 0);
insert into q values ('00000000-0000-0000-0000-000000000077', 0), ('00000000-0000-0000-0001-000000000077', 0) on conflict do nothing;
insert into q values ('00000000-0000-0000-0000-000000077000', 0), ('00000000-0000-0000-0000-000000077000', 0);
update q set o = o + 1 where o % 5 = 0;
delete from q where o % 3 = 0;
vacuum q;
insert into q select ('00000000-0000-0000-0000-' || lpad((g * 77 % 1000)::text, 12, '0'))::uuid, g from generate_series(1, 700) g on conflict do nothing;
-- built anew they are sorted
create index d_built on d (k);
create index d_built_desc on d (k desc nulls last, o);
create index u_built on u (o, k);
create unique index d_fails on d (k);
reindex table u;
-- looked up
set enable_seqscan = off;
set enable_bitmapscan = off;
select o from u where id = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b';
select count(*) from u where id >= 'f0000000-0000-0000-0000-000000000000' and id < 'f1000000-0000-0000-0000-000000000000';
select count(*) from d where k = '00000000-0000-0000-0037-000000000000';
select count(*) from d where k > '00000000-0000-0000-0037-000000000000' and k <= '00000000-0000-0000-0040-000000000000';
select o from d where k > 'ffffffff-ffff-ffff-0000-000000002990' order by k desc, o limit 5;
select o from q where id in ('00000000-0000-0000-0000-000000000077', '00000000-0000-0000-0000-000000000078', '00000000-0000-0000-0001-000000000077') order by id;
select count(*) from d where k is null;
-- many pages, and keys in no order, which are looked for some rows ahead
create table s (id uuid, t text, primary key (id, t));
insert into s select md5(g::text)::uuid, repeat(md5(g::text), 12) from generate_series(1, 13000) g;
insert into s select md5((g % 50)::text)::uuid, repeat(md5((g * 3)::text), 12) from generate_series(20000, 20400) g;
insert into s select ('88888888-8888-8888-' || substr(md5(g::text), 1, 4) || '-' || substr(md5(g::text), 5, 12))::uuid, repeat(md5(g::text), 12) from generate_series(1, 400) g;
insert into s select md5((g * 7 % 12900 + 200 * (g / 300))::text)::uuid, case when g < 300 then 'y' else repeat(md5((g * 7 % 12900 + 200)::text), 12) end from generate_series(1, 400) g;
