-- nbtree 4.1 to 4.3: equal keys become posting lists when the leaf is full; not numeric, INCLUDE, deduplicate_items = off; single value strategy; unique indexes only with duplicates.
create table n (o int, k int, u numeric, f char(60));
create index n_k on n (k);
create index n_u on n (u);
create index n_incl on n (k, f) include (o);
create index n_off on n (k, f) with (deduplicate_items = off);
insert into n select g, g % 10, g % 10, 'f' from generate_series(1, 407) g;
insert into n values (408, 3, 3, 'f');
alter index n_off set (deduplicate_items = on);
insert into n select g, g % 10, g % 10, 'f' from generate_series(409, 460) g;
-- so wide that a posting list has no more than 56 TIDs, and a page six lists
create table m (o int, k char(500), l char(500));
create index m_kl on m (k, l);
insert into m select g, 'k', 'l' || g % 3 from generate_series(1, 240) g;
insert into m select g, 's', 's' from generate_series(241, 640) g;
