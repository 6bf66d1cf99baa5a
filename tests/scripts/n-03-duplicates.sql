-- nbtree 3.7, 3.8: strategies: many duplicates, single value on the rightmost page and elsewhere, the exception near the new item; without and with deduplication.
create table n (o int, k int);
create index n_off on n (k) with (deduplicate_items = off);
create index n_on on n (k);
insert into n select g, 5 from generate_series(1, 407) g;
insert into n values (408, 5);
insert into n select g, 5 from generate_series(409, 1300) g;
insert into n select g, 9 from generate_series(1301, 1500) g;
insert into n select g, 5 from generate_series(1501, 1900) g;
insert into n select g, g % 3 from generate_series(2201, 2400) g;
insert into n select g, case when g % 4 = 0 then 100 else g * 7919 % 200 end from generate_series(2601, 3100) g;
