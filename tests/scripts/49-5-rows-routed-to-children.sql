-- The trigger that sends rows of a parent to its children; ANALYZE, COPY, views and indexes of a parent with children.
create table m (id serial primary key, day date not null, v int);
create table m1 (check (day < '2020-01-01'), primary key (id)) inherits (m);
create table m2 (check (day >= '2020-01-01'), note text default 'm2') inherits (m);
create function route() returns trigger language plpgsql as $$
begin
  if new.day < '2020-01-01' then
    insert into m1 values (new.*);
  else
    insert into m2 values (new.*);
  end if;
  return null;
end $$;
create trigger route before insert on m for each row execute function route();
insert into m (day, v) values ('2019-05-05', 1), ('2020-05-05', 2), ('2021-05-05', 3);
insert into m (day, v) select date '2019-01-01' + g * 5, g from generate_series(1, 200) g;
select tableoid::regclass, count(*), min(id), max(v) from m group by 1 order by 1;
select count(*) from only m;
update m set v = -v where id in (5, 150) returning tableoid::regclass, *;
delete from m where day = '2019-05-05';
insert into m2 (id, day) values (1, '2022-01-01'), (2, '2022-01-02');
select id, count(*) from m group by id having count(*) > 1 order by id;
select * from m order by day desc, v limit 3;
analyze m;
select relname, relhassubclass, reltuples from pg_class where relname in ('m', 'm1', 'm2') order by 1;
select attname, inherited, null_frac, n_distinct from pg_stats where tablename = 'm' order by 1, 2;
vacuum m;
vacuum analyze m1;
vacuum analyze m2;
copy m to stdout;
copy (select * from m where v < 3) to stdout;
create view recent as select * from m where day >= '2021-09-01';
select count(*) from recent;
create table copied as select day, v from m where v > 190;
insert into copied select day, v from m where v < 3;
select * from copied;
create index on m (v);
select count(*) from m where v = 100;
begin;
lock table m in share mode;
select count(*) from m where day between '2019-01-01' and '2019-02-01';
commit;
create temp table temporary () inherits (m);
insert into temporary values (99, '2030-01-01', 99);
select count(*) from m;
drop table temporary;
create table l (like m1 including all);
select conname, coninhcount from pg_constraint where conrelid = 'l'::regclass and contype = 'c';
alter table m2 no inherit m;
alter table m1 no inherit m;
select relhassubclass from pg_class where relname = 'm';
analyze m;
select relhassubclass from pg_class where relname = 'm';
drop view recent;
drop table m;
