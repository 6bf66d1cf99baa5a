-- nbtree 8.8, heap_wal 10: after a crash the pages of an index follow from the WAL: holes are zero, LP_DEAD marks are lost, and it goes on from there.
create table n (id int primary key, k int, c int, f char(80));
create index n_k on n (k, f);
create index n_id on n (id, f);
insert into n select g, g % 6, 0, 'f' from generate_series(1, 150) g;
update n set c = 1 where id < 60;
delete from n where id between 90 and 120;
insert into n select g, 1, 1, 'f' from generate_series(90, 105) g;
--@ crash
insert into n select g, g % 6, 0, 'f' from generate_series(151, 280) g;
vacuum n;
checkpoint;
update n set c = c + 1 where id % 3 = 0;
delete from n where id between 150 and 280;
vacuum n;
--@ crash
vacuum n;
insert into n select g, g % 6, 0, 'f' from generate_series(281, 440) g;
--@ crash
update n set k = k + 1 where id < 50;
select count(*) from n where id < 30;
