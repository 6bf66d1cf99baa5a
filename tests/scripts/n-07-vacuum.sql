-- nbtree 7.1, 7.3: VACUUM takes items and parts of posting lists off, empty leaves leave the tree, then their parents with them; the metapage counts them; pages come back from the free space map.
create table n (o int, k int);
create index n_o on n (o);
create index n_k on n (k);
insert into n select g, g % 50 from generate_series(1, 1800) g;
delete from n where o % 4 = 0;
vacuum n;
delete from n where o between 400 and 1500;
vacuum n;
insert into n select g, g % 50 from generate_series(3001, 3300) g;
vacuum n;
insert into n select g, g % 50 from generate_series(500, 1000) g;
delete from n;
vacuum n;
insert into n select g, g % 50 from generate_series(1, 500) g;
vacuum n;
