-- Whole rows as values, rows that are distinct from others, what is not one.
create table w (id int primary key, name text, at date, f float8);
insert into w values (1, 'one', '2024-01-02', 1.5), (2, 'a "b", c', null, null), (3, '', '2024-02-03', 0);
select w from w order by id;
select w.*::text, w::text, x from w join (select id as k, 'q ' || id as v from w) x on x.k = w.id order by id;
select row(id, name), pg_column_size(w.*), pg_column_size(w) from w order by id;
update w set f = 2 where id = 3 returning w;
insert into w values (1, 'uno', '2024-01-02', 1.5) on conflict (id) do update set name = excluded.name where (w.name, w.at) is distinct from (excluded.name, excluded.at) returning *;
insert into w values (1, 'uno', '2024-01-02', 9) on conflict (id) do update set f = excluded.f where (w.name, w.at) is distinct from (excluded.name, excluded.at) returning *;
select id from w where (name, at) is not distinct from ('a "b", c', null) order by id;
select (1, null) is distinct from (1, null), (1, 2) is distinct from (1, null), (1, 2) is not distinct from (1, 2);
select (1, 2) is distinct from (1, 2, 3);
