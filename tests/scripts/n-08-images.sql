-- nbtree 8: after a checkpoint the first change of each index page brings its image; splits restore the left page, and the right page is always whole.
create table n (o int, k int, f char(100));
create index n_o on n (o, f);
create index n_k on n (k, f);
insert into n select g, g % 30, 'f' from generate_series(1, 150) g;
checkpoint;
insert into n values (151, 7, 'f');
insert into n values (152, 7, 'f');
insert into n select g, g % 30, 'f' from generate_series(153, 300) g;
checkpoint;
update n set k = k + 1 where o between 30 and 110;
checkpoint;
delete from n where o between 70 and 210;
vacuum n;
checkpoint;
select count(*) from n where o = 230;
insert into n select g, g % 30, 'f' from generate_series(70, 120) g;
