-- nbtree 2.12, 7.6: a crash between the two records of a split leaves a right page without downlink: scans go over the sibling link, VACUUM leaves both pages in the tree, the next insertion puts the downlink in.
create table n (o int, k int);
create index n_k on n (k);
insert into n select g, g from generate_series(1, 400) g;
begin;
insert into n select g, g from generate_series(401, 420) g;
--@ crash before NEWROOT
select count(*) from n where k > 300;
insert into n values (601, 601);
insert into n select g, g from generate_series(602, 800) g;
begin;
insert into n select g, g * 7 % 400 from generate_series(1001, 1210) g;
--@ crash before INSERT_UPPER
delete from n where k between 1 and 390;
vacuum n;
vacuum n;
insert into n select g, g % 400 from generate_series(1401, 1420) g;
vacuum n;
-- a page above the leaves is split
create table m (a char(500), b char(500), c char(500));
create index m_abc on m (a, b, c);
insert into m select 'a', 'b', 'c' || (100 + g * 2) from generate_series(1, 12) g;
begin;
insert into m select 'a', 'b', 'c' || (100 + g) from generate_series(13, 30) g;
--@ crash before INSERT_UPPER
insert into m select 'a', 'b', 'c' || (100 + g * 7 % 60) from generate_series(31, 33) g;
--@ crash
insert into m select 'a', 'b', 'c' || (100 + g * 7 % 60) from generate_series(34, 50) g;
