-- Functions in SQL stand for their queries, in FROM and as values.
create extension pageinspect;
create table t (id int, v int);
insert into t values (1, 1), (2, 2);
update t set v = 3 where id = 1;
create function heap_page(relname text, pageno integer)
returns table (ctid tid, state text, xmin_told text, hhu text)
as $$
select (pageno, lp)::text::tid as ctid,
  case lp_flags when 0 then 'unused' when 1 then 'normal' when 2 then 'redirect to ' || lp_off when 3 then 'dead' end as state,
  case when (t_infomask & 256) > 0 then 'c' when (t_infomask & 512) > 0 then 'a' else '' end as xmin_told,
  case when (t_infomask2 & 16384) > 0 then 't' else '' end as hhu
from heap_page_items(get_raw_page(relname, pageno)) order by lp;
$$ language sql;
select * from heap_page('t', 0);
select ctid, state from heap_page('t', 0) where state = 'normal' order by ctid desc;
select p.state from heap_page('t', 0) as p;
create function twice(int) returns int language sql immutable as 'select $1 * 2';
select twice(21);
select id, twice(4) from t order by id;
select * from twice(5);
select * from twice(6) as n;
create function twice(int) returns int language sql as 'select $1';
create or replace function twice(n int) returns bigint language sql as 'select n * 3';
create function biggest() returns int as $$ select max(v) from t $$ language sql;
select biggest();
create function nothing() returns int language sql as 'select v from t where id = 99';
select nothing();
create function bad() returns int language sql as 'select nosuch from t';
drop function twice(int);
drop function if exists nosuch_f(int);
drop function nosuch_f;
begin;
create function gone() returns int language sql as 'select 1';
select gone();
rollback;
drop function gone;
