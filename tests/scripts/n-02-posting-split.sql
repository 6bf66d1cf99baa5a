-- nbtree 2.7, 2.8: a TID that belongs into a posting list: the list's last TID becomes an item of its own (INSERT_POST), also together with a page split.
create table n (o int, k int, f char(20));
create index n_k on n (k);
insert into n select g, g % 4, 'x' from generate_series(1, 1200) g;
delete from n where o % 7 = 0;
vacuum n;
-- the rows take line pointers within the old blocks
insert into n select g, g % 4, 'y' from generate_series(2000, 2170) g;
insert into n select g, 2, 'z' from generate_series(3000, 3400) g;
delete from n where o between 3000 and 3300;
vacuum n;
insert into n select g, g % 4, 'w' from generate_series(4000, 4300) g;
