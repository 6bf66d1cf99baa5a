-- From 18 on a scan skips from value to value of a column that it is not asked for (_bt_advance_array_keys): the leaves between are not locked, and writes there are no conflict.
create table t (a int, b int);
insert into t select g % 10, g / 10 from generate_series(1, 3000) g;
create index i on t (a, b) with (fillfactor = 20);
vacuum t;
analyze t;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
-- past most leaves: until 17 all of them are read
--@ session A
begin isolation level serializable;
select a, b from t where b = 5;
--@ session B
begin isolation level serializable;
select a, b from t where b = 6;
insert into t values (3, 150);
--@ session A
insert into t values (4, 150);
commit;
--@ session B
commit;
-- on the leaves that it has read
--@ session A
begin isolation level serializable;
select a, b from t where b = 5 and a > 3 and a < 6;
--@ session B
begin isolation level serializable;
select a, b from t where b = 6 and a >= 4;
insert into t values (5, 7);
--@ session A
insert into t values (4, 4);
commit;
--@ session B
commit;
-- back, and several values behind it
--@ session A
begin isolation level serializable;
select a, b from t where b in (290, 295) order by a desc, b desc;
--@ session B
begin isolation level serializable;
select a, b from t where b in (292, 293) order by a, b;
insert into t values (2, 100);
--@ session A
insert into t values (7, 100);
commit;
--@ session B
commit;
