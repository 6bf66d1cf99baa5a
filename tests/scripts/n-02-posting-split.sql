-- nbtree 2.7, 2.8: a TID that belongs into a posting list: the list's last TID becomes an item of its own (INSERT_POST), also together with a page split.
create table n (o int, k char(500), l char(400));
create index n_kl on n (k, l);
insert into n select g, 'k', 'l' || g % 4 from generate_series(1, 330) g;
delete from n where o % 7 = 0;
vacuum n;
-- the rows take line pointers within the old blocks
insert into n select g, 'k', 'l' || g % 4 from generate_series(2000, 2047) g;
insert into n select g, 'k', 'l2' from generate_series(3000, 3150) g;
delete from n where o between 3000 and 3100;
vacuum n;
insert into n select g, 'k', 'l' || g % 4 from generate_series(4000, 4100) g;
