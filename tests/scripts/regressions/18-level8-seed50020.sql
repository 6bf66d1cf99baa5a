-- Found by the random scripts: which table of a join is read first, and whether the other is read at all.
create table t0 (a int primary key, c0 int, c1 text, c2 char(40), c3 int[] not null, c4 smallint) with (fillfactor = 80);
create table t1 (a int primary key, c0 int, c1 text, c2 varchar(200), c3 uuid) with (fillfactor = 70);
insert into t1 (a) select g from generate_series(3, 79, 4) g;
--@ session B
update t1 set c0 = s.v from (select a as k, c0 + 1 as v from t0 where a % 4 = 1 and a / 4 % 5 = 2) s where s.k = t1.a and a % 4 = 1;
