-- A view knows its tables by their OIDs: it reads a table that was renamed.
create table a (id int, v int);
insert into a values (1, 1), (2, 4);
create view w as select * from a;
create view x as select a.id + 1 as next, w.v from a join w on w.id = a.id;
alter table a rename to aa;
select * from w order by id;
select next, v from x order by next;
begin;
alter table aa rename to b;
select count(*) from w;
rollback;
select * from w order by id;
create table a (id int, v int);
select count(*) from w;
drop table aa;
drop table aa cascade;
