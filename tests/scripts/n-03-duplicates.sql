-- nbtree 3.7, 3.8: strategies: many duplicates, single value on the rightmost page and elsewhere, the exception near the new item; without and with deduplication.
create table n (k char(200));
create index n_off on n (k) with (deduplicate_items = off);
insert into n select 'e' from generate_series(1, 37) g;
insert into n select 'e' from generate_series(38, 100) g;
insert into n select 'i' from generate_series(1, 40) g;
insert into n select 'e' from generate_series(101, 150) g;
insert into n select 'a' || g % 3 from generate_series(1, 60) g;
insert into n select case when g % 4 = 0 then 'm' else 'k' || g * 7919 % 200 end from generate_series(1, 80) g;
-- so wide that a posting list has no more than 56 TIDs
create table m (k char(500), l char(500));
create index m_on on m (k, l);
insert into m select 'e', 'e' from generate_series(1, 380) g;
insert into m select 'i', 'i' from generate_series(1, 70) g;
insert into m select 'e', 'e' from generate_series(381, 560) g;
insert into m select 'e', 'a' || g % 3 from generate_series(1, 40) g;
