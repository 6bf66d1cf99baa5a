-- nbtree 3.3: the rightmost leaf is split by the fillfactor, others in the middle; internal pages do not heed it.
create table n (a int, b int);
create index n_90 on n (a);
create index n_50 on n (a) with (fillfactor = 50);
create index n_100 on n (a) with (fillfactor = 100);
create index n_half on n (b) with (fillfactor = 70);
insert into n select g, -g from generate_series(1, 406) g;
insert into n values (407, -407);
insert into n values (408, -408);
insert into n select g, -g from generate_series(409, 1500) g;
insert into n select g % 1500, g from generate_series(1501, 2000) g;
