-- The lines DETAIL of errors: duplicate keys, NOT NULL, foreign keys, numbers, identity columns, tables that others refer to.
create table p (id int primary key, n int, "Odd" text, unique (n, "Odd"), i int generated always as identity, x numeric(4,2));
create unique index on p (lower("Odd"), (n + id));
insert into p values (1, 1, 'A');
insert into p values (1, 2, 'B');
insert into p (id, n, "Odd") values (2, 1, 'A');
insert into p values (1, 1, 'A', 5);
insert into p (id, x) values (4, 100);
update p set i = 4;
create table c (a int not null, b int references p, t text, u text not null default 'u');
insert into c values (null, 1, repeat('long ', 30), null);
insert into c values (1, 99);
insert into c values (1, 1, repeat('y', 100000));
update c set u = null;
insert into c select 5, g, 'x' from generate_series(1, 2) g;
delete from p;
update p set id = 7;
create unique index bad on c (u);
create unique index bad2 on c (b, lower(u));
insert into c values (2, 1, 'x', repeat('ab', 5)), (3, null, null, null);
create index on c (t);
insert into c select 5, 1, string_agg(md5(g::text), '') from generate_series(1, 100) g;
create table f (a int) with (fillfactor = 5);
copy c from stdin;
1	1	x	\N
\.
copy c from stdin;
1	17	x	y
\.
insert into p (id, n, "Odd") values (10, 10, 'Q') on conflict do nothing;
insert into p (id, n, "Odd") values (11, 0, 'q') on conflict (id) do nothing;
insert into p (id, n, "Odd") values (11, -1, 'q') on conflict (id) do nothing;
drop table p;
truncate p;
truncate p, c;
drop table p cascade;
insert into c values (1, 1000);
select * from c;
