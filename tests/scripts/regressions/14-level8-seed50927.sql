-- Found by the random scripts: which table of a join is read first, and whether the other is read at all.
create table t0 (a int, c0 int, c1 text, c2 smallint, c3 real not null);
create table t1 (a int primary key, c0 int, c1 text) with (fillfactor = 80);
--@ session B
vacuum (truncate off) t1;
insert into t1 (a, c0) select g, g % 7 from generate_series(151, 322, 3) g;
update t1 set c0 = s.v from (select a as k, c0 + 1 as v from t0 where a % 3 = 1 and a / 3 % 7 = 5) s where s.k = t1.a and a % 3 = 1;
