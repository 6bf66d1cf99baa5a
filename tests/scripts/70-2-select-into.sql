-- heap_wal.md: SELECT … INTO is CREATE TABLE … AS.
create table s702 (id int primary key, v text);
insert into s702 select g, 'v' || g from generate_series(1, 300) g;
select * into s702_all from s702;
select id, upper(v) as v into temp table s702_some from s702 where id < 4 order by id desc;
select * from s702_some;
select 1 as one, 'x'::text as x into unlogged s702_one;
select count(*) into table s702_count from s702_all;
select * from s702_count;
with few as (select id from s702 limit 2) select f.id, s.v into s702_few from few f join s702 s using (id);
select * from s702_few order by 1;
select id into s702_all from s702;
select id into s702_union from s702_few union select 7;
select * from s702_union order by 1;
drop table s702_all, s702_one;
