-- nbtree 3.3: the rightmost leaf is split by the fillfactor, others in the middle; internal pages do not heed it.
create table n (a int, b int, f char(200));
create index n_90 on n (a, f);
create index n_50 on n (a, f) with (fillfactor = 50);
create index n_100 on n (a, f) with (fillfactor = 100);
create index n_half on n (b, f) with (fillfactor = 70);
create index n_int on n (a);
insert into n select g, -g, 'f' from generate_series(1, 36) g;
insert into n values (37, -37, 'f');
insert into n values (38, -38, 'f');
insert into n select g, -g, 'f' from generate_series(39, 150) g;
insert into n select g * 7919 % 150, g, 'f' from generate_series(151, 260) g;
insert into n (a) select g from generate_series(261, 440) g;
