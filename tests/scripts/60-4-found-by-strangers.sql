-- SET of several columns by a query with an aggregate; generated columns by casts of times; conditions that end window
-- functions early
create table cust (id int primary key, name text, last_total int, rows int);
create table ord (id int primary key, cust_id int, total int);
insert into cust values (1, 'ann'), (2, 'bob'), (3, 'cyd');
insert into ord select g, 1 + g % 2, (g * 37) % 101 from generate_series(1, 12) g;
update cust set (name, last_total) = (select upper(cust.name), sum(total) from ord where cust_id = cust.id) where id < 3 returning *;
update cust set (last_total, rows) = (select max(total), count(*) from ord where cust_id = cust.id) returning *;
update cust set (name, rows) = (select name || total, count(*) from ord where cust_id = cust.id);
create table bad1 (b timestamptz, c text generated always as (b::text) stored);
create table bad2 (b date, c text generated always as (b::text) stored);
create table bad3 (b text, c date generated always as (b::date) stored);
create table bad4 (b date, c text generated always as (b || 'x') stored);
create table good (b int, c text generated always as (b::text) stored, d float generated always as (b * 1.5) stored);
insert into good values (3);
select * from good;
create table pay (id int, dep int, hired date, salary int);
explain (costs off) select * from (select *, row_number() over (order by hired) rn from pay) s where rn <= 2;
explain (costs off) select * from (select *, row_number() over (partition by dep order by hired) rn from pay) s where rn <= 2;
explain (costs off) select * from (select *, row_number() over (partition by dep order by hired) rn from pay) s where rn = 1;
explain (costs off) select * from (select *, dense_rank() over (partition by dep order by hired desc) rn from pay) s where 3 > rn;
explain (costs off) select * from (select *, rank() over (order by hired) rn from pay) s where rn < 3 and salary > 10;
explain (costs off) select * from (select *, row_number() over (order by hired) rn from pay) s where rn > 2;
explain (costs off) select id from (select *, row_number() over (order by hired) rn from pay) s where rn between 2 and 4;
explain (costs off) select * from (select *, lag(salary) over (order by hired) prior_salary from pay) s where prior_salary < 4;
