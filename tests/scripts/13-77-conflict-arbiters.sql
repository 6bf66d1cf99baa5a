-- ON CONFLICT: the WHERE of a partial index, names that the row to be inserted has too; aggregates in recursive queries.
create table c (id int primary key, k text, active boolean, hits int default 0);
create unique index c_active on c (k) where active;
insert into c values (1, 'a', true), (2, 'a', false), (3, 'b', true);
insert into c values (4, 'a', true) on conflict (k) where active do update set hits = c.hits + 1;
insert into c values (5, 'a', true) on conflict (k) do nothing;
insert into c values (5, 'a', true) on conflict (k) where active do nothing;
insert into c values (5, 'a', false) on conflict (k) where active do update set hits = 100;
insert into c values (6, 'b', true) on conflict (k) where active and id > 0 do update set hits = 7 where c.hits < 7 returning *;
insert into c values (6, 'b', true) on conflict (k) where hits > 3 do nothing;
insert into c values (1, 'z', true) on conflict (id) where active do update set k = excluded.k;
insert into c values (1, 'z', true) on conflict (id) do update set hits = hits + 1;
insert into c values (1, 'z', true) on conflict (id) do update set hits = 5 where hits < 9;
insert into c as t values (1, 'z', true) on conflict (id) do update set hits = t.hits + excluded.id where t.active;
insert into c values (1, 'z', true) on conflict (id) do update set hits = (select max(x) from generate_series(1, id) x);
select * from c order by id;
with recursive x(n) as (select 1 union all select max(n) + 1 from x where n < 3) select * from x;
with recursive x(n) as (select 1 union all select n + 1 from (select max(n) as n from x) s where n < 3) select * from x;
with recursive x(n) as (select 1 union all select n + 1 from x where n < (select count(*) from c)) select * from x;
