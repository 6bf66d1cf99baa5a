-- Members of a MultiXact, as a row's xmax names it.
create extension pageinspect;
create table m (id int primary key, v int);
insert into m values (1, 10), (2, 20);
begin;
select * from m where id = 1 for key share;
savepoint s1;
select * from m where id = 1 for no key update;
savepoint s2;
update m set v = 11 where id = 1;
select mode, xid::text::int > 0 from pg_get_multixact_members((select t_xmax from heap_page_items(get_raw_page('m', 0)) where lp = 1)) order by xid::text::int;
commit;
select * from pg_get_multixact_members('0');
