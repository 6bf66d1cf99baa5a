-- nbtree 8, heap_wal 10: after a crash the pages of an index follow from the WAL: holes are zero, LP_DEAD marks are lost, and it goes on from there.
create table n (id int primary key, k int, c int);
create index n_k on n (k);
insert into n select g, g % 6, 0 from generate_series(1, 500) g;
update n set c = 1 where id < 200;
delete from n where id between 300 and 400;
insert into n select g, 1, 1 from generate_series(300, 350) g;
--@ crash
insert into n select g, g % 6, 0 from generate_series(501, 900) g;
vacuum n;
checkpoint;
update n set c = c + 1 where id % 3 = 0;
delete from n where id between 500 and 900;
vacuum n;
--@ crash
vacuum n;
insert into n select g, g % 6, 0 from generate_series(901, 1400) g;
--@ crash
update n set k = k + 1 where id < 150;
select count(*) from n where id < 100;
