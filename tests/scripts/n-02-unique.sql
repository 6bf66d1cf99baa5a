-- nbtree 2.5: a uniqueness check marks items of dead rows LP_DEAD, before the new item is placed; NULLs are never duplicates.
create table n (k int, v int);
create unique index n_k on n (k);
insert into n values (1, 1), (2, 1), (3, 1), (null, 1), (null, 2);
delete from n where k = 2;
insert into n values (2, 2);
-- lp n_k:1: 1:8160/1/16 2:8144/3/16 3:8080/1/16 4:8128/1/16 5:8112/1/16 6:8096/1/16 flags 0
insert into n values (2, 3);
update n set k = 4 where k = 3;
insert into n values (3, 3);
insert into n values (4, 4) on conflict do nothing;
begin;
insert into n values (5, 1);
rollback;
insert into n values (5, 2);
update n set v = v + 1;
update n set k = k + 10 where k is not null;
insert into n select g, g from generate_series(100, 500) g;
delete from n where k between 100 and 200;
insert into n select g, g from generate_series(100, 200) g;
