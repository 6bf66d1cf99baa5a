-- Views and their columns get other names; a table whose rows functions give is dropped.
create table people (id int primary key, name text, born int);
insert into people values (1, 'ann', 1970), (2, 'bo', 1999), (3, 'cy', 1950);
create view elder as select id, name as fullname from people where born < 1980;
create view old2 as select fullname from elder;
alter view elder rename column fullname to oldname;
select * from elder;
select * from old2;
alter view elder rename column nosuch to x;
alter view elder rename column id to oldname;
alter view elder rename to ancient;
select * from ancient order by id;
select * from elder;
select * from old2;
alter view people rename to x;
alter view nosuch rename to x;
alter view if exists nosuch rename to x;
alter table ancient rename to elders;
alter sequence elders rename to x;
alter view elders rename to people;
update elders set oldname = 'dd' where id = 1;
select * from elders order by id;
select pg_get_viewdef('elders'::regclass);
create table account (id int, balance int);
create function rich(int) returns setof account language sql as 'select * from account where balance > $1';
create function poor() returns account language sql as 'select * from account limit 1';
drop table account;
create view av as select * from account;
drop table account;
drop table account cascade;
select rich(1);
select * from av;
-- Rows that are compared as a whole; functions of one row, called for each of their columns.
create table hive (id int primary key, frames int);
insert into hive values (1, 2), (2, 3);
create function b() returns trigger language plpgsql as $f$
begin
  if new.* is not distinct from old.* then return null; end if;
  return new;
end $f$;
create trigger bt before update on hive for each row execute function b();
select h.* is distinct from h.*, h.* = h.*, h.* is null from hive h;
update hive set frames = frames;
update hive set frames = 3;
update hive set frames = frames + 1 returning hive.* is null, hive.*;
create table coin (id int primary key, face text, value int);
insert into coin values (6, 'a', 30);
create function bump(p_id int, p_by int default 1) returns coin language sql as 'update coin set value = value + p_by where id = p_id returning *';
select (bump(6)).*;
select value from coin;
select (bump(6)).value, (bump(6, 10)).value;
select * from bump(6);
select ctid, * from coin;
create function lookup(int) returns coin language sql as 'select * from coin where id = $1';
select (lookup(id)).* from coin;
create table big (n int, t text, u text default 'dflt');
copy big from stdin;
4	\x41\102\tc	\\D\xC3\xA9
\.
select * from big order by n;
select n, lag(n::smallint, 1, 8192::smallint) over (order by n), lead(n, 1, 5) over (order by n) from big;
