-- REFRESH MATERIALIZED VIEW CONCURRENTLY of a view without text: its table of differences has a TOAST table all the same.
-- The schema of temporary tables is there already: whether a server has to make it depends on the sessions before.
create temporary table first (a int);
create table plant (id int primary key, latin text, height int, indoor boolean default true);
insert into plant values (1, 'Ficus', 180), (2, 'Quercus', 2400, false), (3, 'Aloe', 40);
create view stats as select indoor, count(*) n, avg(height)::int h from plant group by indoor;
create materialized view mv as select * from stats;
insert into plant values (9, 'Rosa', 100, false);
create unique index on mv (indoor);
refresh materialized view concurrently mv;
select cmin, * from mv;
begin; delete from plant where indoor; refresh materialized view concurrently mv; insert into plant values (10, 'Hedera', 30); commit;
select cmin, * from mv;
select cmin, * from plant;
