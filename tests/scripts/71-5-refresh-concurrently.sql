-- REFRESH MATERIALIZED VIEW CONCURRENTLY: only the rows that differ are deleted and inserted.
-- The temporary schema is made before, since it may be there already.
create temp table before_it (a int);
create table visit (id int primary key, page text, hits int);
insert into visit select g, 'p' || g % 5, g from generate_series(1, 20) g;
create materialized view per_page as select page, sum(hits) as hits, count(*) as n from visit group by page order by page;
create unique index on per_page (page);
select ctid, * from per_page order by ctid;
refresh materialized view concurrently per_page;
insert into visit values (21, 'p1', 100), (22, 'p9', 1);
delete from visit where page = 'p3';
refresh materialized view concurrently per_page;
select ctid, xmin, xmax, * from per_page order by ctid;
begin;
update visit set hits = hits + 1 where page = 'p0';
refresh materialized view concurrently per_page;
select ctid, cmin, * from per_page order by ctid;
commit;
create materialized view all_visits as select id, page, hits::numeric / 10 as part from visit;
create unique index on all_visits (id);
create index on all_visits (page);
analyze all_visits;
update visit set hits = hits * 2 where id % 4 = 0;
insert into visit select g, 'q' || g % 7, g from generate_series(30, 60) g;
delete from visit where id in (1, 2, 6);
refresh materialized view concurrently all_visits;
select ctid, * from all_visits order by ctid;
refresh materialized view all_visits;
vacuum all_visits;
update visit set page = null where id = 5;
refresh materialized view concurrently all_visits;
select count(*), count(page) from all_visits;
create materialized view twice as select page, hits from visit where page like 'p%' union all select page, hits from visit where id = 7;
create unique index on twice (page, hits);
create materialized view nulls as select page, hits % 2 as odd, id from visit;
create unique index on nulls (page, id);
refresh materialized view concurrently nulls;
update visit set hits = 1 where id = 9;
refresh materialized view concurrently nulls;
refresh materialized view concurrently nulls with no data;
create materialized view firsts as select substr(page, 1, 1) || id % 50 as key, hits from visit where page is not null;
create unique index on firsts (key);
insert into visit select 50 + id, page, hits from visit where id = 3;
refresh materialized view concurrently firsts;
update visit set hits = 999 where id = 53;
refresh materialized view concurrently firsts;
delete from visit where id = 53;
refresh materialized view concurrently firsts;
--@ session B
begin;
select count(*) from firsts;
--@ session A
update visit set hits = 5 where id = 3;
refresh materialized view concurrently firsts;
--@ session B
select * from firsts where key = 'p3';
commit;
