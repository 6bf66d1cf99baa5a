-- nbtree 5.1, 5.3, 5.6: index scans mark items LP_DEAD; when the leaf is full, 13 takes off those, 14 and later others of the same heap blocks too.
create table n (k int, v int) with (autovacuum_enabled = off);
create index n_k on n (k);
insert into n select g, g from generate_series(1, 400) g;
delete from n where k between 100 and 140;
set enable_seqscan = off;
set enable_bitmapscan = off;
select v from n where k = 105;
select count(v) from n where k between 110 and 120;
insert into n select g, g from generate_series(401, 410) g;
update n set k = k where k between 1 and 60;
select count(v) from n where k between 1 and 60;
insert into n select g, g from generate_series(411, 520) g;
delete from n where k > 300;
select count(v) from n where k > 300;
insert into n select g, g from generate_series(300, 420) g;
-- the newest xid of the rows whose entries go is that of all versions of a HOT chain, not of its root alone: here the DELETE's
CREATE TABLE chains (a int PRIMARY KEY, b int);
INSERT INTO chains SELECT g, 0 FROM generate_series(1, 20) g;
UPDATE chains SET b = 1 WHERE a <= 10;
DELETE FROM chains WHERE a <= 5;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT * FROM chains WHERE a BETWEEN 1 AND 5;
INSERT INTO chains SELECT g, 0 FROM generate_series(21, 1000) g;
