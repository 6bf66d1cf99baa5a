-- nbtree 7.3, 7.5, 7.6: VACUUM takes items and parts of posting lists off, empty leaves leave the tree, then their parents with them; the metapage counts them; pages come back from the free space map.
create table n (o int, k int, f char(100));
create index n_o on n (o, f);
create index n_k on n (k);
insert into n select g, g % 50, 'f' from generate_series(1, 600) g;
delete from n where o % 4 = 0;
vacuum n;
delete from n where o between 130 and 500;
vacuum n;
insert into n select g, g % 50, 'f' from generate_series(3001, 3100) g;
vacuum n;
insert into n select g, g % 50, 'f' from generate_series(160, 330) g;
delete from n;
vacuum n;
insert into n select g, g % 50, 'f' from generate_series(1, 150) g;
vacuum n;
