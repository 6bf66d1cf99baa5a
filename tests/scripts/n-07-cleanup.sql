-- nbtree 7.1, 7.7: VACUUM without dead rows scans an index only where deleted pages wait; META_CLEANUP.
create table n (o int, k char(300));
create index n_k on n (k);
insert into n select g, 'k' || (1000 + g) from generate_series(1, 400) g;
vacuum n;
delete from n where o between 100 and 380;
vacuum n;
vacuum n;
vacuum (index_cleanup off) n;
insert into n select g, 'l' || g from generate_series(401, 500) g;
vacuum n;
select count(*) from n;
vacuum (freeze) n;
