-- nbtree 2.10, 2.11, 3.3: long keys make a tree of many levels: internal pages and roots are split, at the right end and in the middle; parents further up; fast root.
create table n (a char(500), b char(500), c char(500));
create index n_abc on n (a, b, c);
insert into n select 'a', 'b', 'c' || (1000 + g) from generate_series(1, 40) g;
insert into n select 'a', 'b', 'c' || (1000 + g * 7919 % 1009) from generate_series(41, 90) g;
insert into n select 'a', 'b', 'a' || g from generate_series(91, 110) g;
delete from n where c between 'c1010' and 'c1500';
vacuum n;
insert into n select 'a', 'b', 'c' || (1000 + g * 7 % 400) from generate_series(111, 140) g;
