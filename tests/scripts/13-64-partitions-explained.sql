-- EXPLAIN names partitions by their table with a number; COPY sorts rows into them; commands of a block that makes them have numbers.
create table p (id int, d date, v text) partition by range (d);
create table p1 partition of p for values from ('2024-01-01') to ('2024-02-01');
create table p2 partition of p for values from ('2024-02-01') to ('2024-03-01');
create table p3 partition of p for values from ('2024-03-01') to ('2024-04-01');
create index on p (d);
explain (costs off) select * from p;
explain (costs off) select * from p where d = '2024-02-10';
explain (costs off) select * from p x where d >= '2024-02-10';
explain (costs off) select count(*) from p where d < '2024-02-10' and id = 5;
explain (costs off) select * from p where d = '2025-02-10';
explain (costs off) select * from p where v = 'x' or id in (1, 2);
explain (costs off) insert into p values (1, '2024-01-01', 'x');
explain (costs off) delete from p where d < '2023-02-20';
copy p from stdin;
1	2024-01-05	a
2	2024-02-05	b
3	2024-01-06	c
4	2024-03-06	d
5	2024-03-07	\N
6	2024-01-08	f
\.
select tableoid::regclass, ctid, * from p;
copy p (d, id) from stdin with (format csv);
2024-03-01,10
2025-03-01,11
\.
copy p1 from stdin;
7	2024-02-05	x
\.
copy p to stdout;
analyze p;
vacuum analyze p;
explain (costs off) select * from p where id = 3;
begin;
create table a (x int primary key) partition by range (x);
insert into a values (1);
rollback;
begin;
create table a (x int) partition by range (x);
create table a1 partition of a for values from (0) to (10);
insert into a values (1);
select cmin from a;
create table a2 partition of a default;
insert into a values (11);
select cmin from a;
create index on a (x);
insert into a values (2), (12);
select cmin from a;
create table a3 partition of a for values from (20) to (30);
insert into a values (22);
select cmin from a;
alter table a detach partition a3;
insert into a values (3);
select cmin from a;
alter table a attach partition a3 for values from (20) to (30);
insert into a values (4);
select cmin from a;
drop table a1;
insert into a values (6);
select cmin from a;
truncate a;
insert into a values (7);
select cmin from a;
commit;
create table n (a int not null default 7, b serial, c text default 'x' not null, check (a > 0)) partition by list (c);
create table nx partition of n for values in ('x');
insert into n values (1);
begin;
select * from n;
create table m (a int generated always as identity, b int not null, primary key (a, b)) partition by hash (a);
create table m0 partition of m for values with (modulus 1, remainder 0);
insert into m (b) values (1);
select cmin, * from m;
drop table n, m;
commit;
insert into a values (8);
