-- Domains: columns stored as the type that they are over, what is asked of their values, and when.
create domain posint as int check (value > 0);
create domain zip as text not null constraint zip_fmt check (value ~ '^\d{5}$') default '00000';
create domain short varchar(3) check (length(value) > 1) check (value <> 'abc');
create domain plain as int;
create table box (
  id posint primary key,
  w int, h int check (h < 100),
  area posint generated always as (w * h) stored,
  z zip,
  s short default 'ab',
  p plain
);
create index box_z on box (z);
insert into box (id, w, h) values (1, 2, 3);
insert into box (id, w, h, z) values (2, 4, null, '12345'), (3, 1, 1, '54321');
insert into box (id, w) values (0, 1);
insert into box (id, z) values (4, 'abc');
insert into box (id, z) values (4, null);
insert into box (id, z, h) values (-4, 'abc', 200);
insert into box (id, w, h) values (4, 1, -1);
insert into box (id, w, h) values (4, 1, 200);
insert into box (id, w, h) values (null, 1, 1);
insert into box (id, s) values (4, 'abc');
insert into box (id, s) values (4, 'abcd');
insert into box (id, s) values (4, 'a');
insert into box (id, s, z) values (4, null, default), (5, default, default);
insert into box (id) values (1.6);
insert into box (id) values ('x');
insert into box (id) values ('x'::text);
insert into box (id, p) select n, n from generate_series(6, 9) n;
insert into box (id) select n from generate_series(1, -1, -1) n;
insert into box values (10), (-10);
update box set w = w * 10 where id = 1 returning id, area, z;
update box set id = 0 where id = 1;
update box set z = null where id = 1;
update box set z = default, s = 'cd', p = 7 where id = 1 returning *;
update box set w = -w where id = 1;
update box set id = id + 100 where id > 5;
insert into box (id) values (1) on conflict (id) do update set id = excluded.id - 1;
insert into box (id) values (1) on conflict (id) do update set w = excluded.id returning id, w, area;
select * from box order by id;
select id || 'x', id + 1, upper(z), s from box where z = '12345' or id = 1 order by z, id;
select id from box where id = 106;
delete from box where z = '54321';
copy box (id, w, h, z) from stdin;
20	1	1	99999
\.
copy box (id, z) from stdin;
21	11111
22	1
\.
copy box (id) from stdin;
23
-23
\.
vacuum box;
analyze box;
select count(*) from box;
