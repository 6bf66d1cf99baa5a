-- Which leaves a scan for several values looks at: SIREAD locks tell. From 17 on it goes on to the leaf beside it where the high key lets it hope for the next
-- value there, else it searches the tree; from 18 on it tries one leaf more, once it has gone from one to the next (_bt_scanbehind_checkkeys).
create table t (a int, b int) with (autovacuum_enabled = off);
create index i on t (a, b) with (fillfactor = 10);
insert into t select g / 20 * 2, g % 20 * 2 from generate_series(0, 999) g;
reindex index i;
create table u (k int primary key, v int);
insert into u values (1, 0);
set enable_seqscan = off;
set enable_bitmapscan = off;
set enable_sort = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12, 20);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (14, 3);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12, 20);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (18, 1);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 11, 12, 13, 14);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (8, 39);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 11, 12, 13, 14);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (15, 1);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 40) and b in (1, 30);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (10, 31);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 40) and b in (1, 30);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (24, 5);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 40) and b in (1, 30);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (40, 15);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12, 14) and b > 30;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (12, 5);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12, 14) and b > 30;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (14, 20);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12) and b < 4;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (10, 39);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 12) and b < 4;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (12, 20);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select b from t where a in (20, 14, 12, 10) order by a desc, b desc;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (16, 5);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select b from t where a in (20, 14, 12, 10) order by a desc, b desc;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (18, 20);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (11, 13, 15);
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (16, 10);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 16) and b between 10 and 12;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (10, 39);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where a in (10, 16) and b between 10 and 12;
--@ session B
begin isolation level serializable;
select v from u where k = 1;
insert into t values (14, 1);
commit;
--@ session A
update u set v = v + 1 where k = 1;
commit;
