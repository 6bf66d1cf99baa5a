-- nbtree 4.1 to 4.3: equal keys become posting lists when the leaf is full; not numeric, INCLUDE, deduplicate_items = off; single value strategy; unique indexes only with duplicates.
create table n (o int, k int, u numeric);
create index n_k on n (k);
create index n_u on n (u);
create index n_incl on n (k) include (o);
create index n_off on n (k) with (deduplicate_items = off);
insert into n select g, g % 10, g % 10 from generate_series(1, 407) g;
insert into n values (408, 3, 3);
insert into n select g, g % 10, g % 10 from generate_series(409, 1400) g;
insert into n select g, 77, 77 from generate_series(1401, 2400) g;
alter index n_off set (deduplicate_items = on);
insert into n select g, g % 10, g % 10 from generate_series(2401, 2500) g;
