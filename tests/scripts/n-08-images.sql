-- nbtree 8: after a checkpoint the first change of each index page brings its image; splits restore the left page, and the right page is always whole.
create table n (o int, k int);
create index n_o on n (o);
create index n_k on n (k);
insert into n select g, g % 30 from generate_series(1, 800) g;
checkpoint;
insert into n values (801, 7);
insert into n values (802, 7);
insert into n select g, g % 30 from generate_series(803, 1300) g;
checkpoint;
update n set k = k + 1 where o between 100 and 400;
checkpoint;
delete from n where o between 300 and 900;
vacuum n;
checkpoint;
select count(*) from n where o = 950;
insert into n select g, g % 30 from generate_series(300, 500) g;
