-- Statements of WITH that change rows: a row is changed when the statement reads it, what nobody reads at the end, the last of WITH first; all have one snapshot and one command id.
create table a (id int primary key, v int, f char(300)) with (fillfactor = 80);
create table b (id int, v int, f char(300));
create table log (n int generated always as identity, what text, id int);
insert into a select g, g * 10, 'f' from generate_series(1, 60) g;
with moved as (delete from a where id <= 8 returning *) insert into b select * from moved;
select ctid, xmin = (select xmin from b limit 1) as same, id from b;
with x as (update a set v = v + 1 where id between 10 and 13 returning id, v) select * from x;
with x as (update a set v = v + 1 where id between 10 and 20 returning id, v) select count(*), sum(v) from x;
with x as (update a set v = v + 1 where id between 10 and 20 returning id, v) select * from x limit 2;
select id, v from a where id between 9 and 21;
with x as (insert into b values (100, 1, 'x'), (101, 2, 'x') returning id) insert into log (what, id) select 'new', id from x;
-- nobody reads them
with x as (delete from b where id = 100), y as (insert into log (what, id) values ('y', 1)) select 1 as one;
with x as (delete from b where id = 101 returning id), y as (insert into log (what, id) select 'gone', id from x) update a set v = 0 where id = 20;
-- one snapshot
with x as (insert into log (what, id) values ('not seen', 5) returning id) select (select id from x), count(*) from log;
with x as (update a set v = -1 where id = 30 returning v) select v, (select v from x) from a where id = 30;
with ids as (select 400 as k) update a set f = 'in' where v in (select k from ids) returning id, v;
with ids as (select 41 as id) delete from a where id = (select id from ids);
with ids as (select 42 as id) insert into log (what, id) values ('with', (select id from ids)) returning *;
select * from log;
-- what is wrong
with x as (delete from a where id = 50) select * from x;
select * from (with x as (delete from a where id = 50 returning id) select * from x) y;
with x as (insert into a values (1, 1), (1, 2) returning id) select * from x;
begin;
with x as (delete from a where id > 55 returning id) select count(*) from x;
rollback;
select count(*) from a;
vacuum a;
