-- Found by the random scripts: page t/main:: whole page.
create table t0 (a int, c0 int);
create table t2 (a int, c0 int, c1 text, c2 double precision) with (fillfactor = 10);
insert into t2 (a) select g from generate_series(3, 79, 4) g;
--@ session C
update t0 set c0 = s.v from (select a as k, c0 + 1 as v from t2 where a % 4 = 2 and a >= 2) s where s.k = t0.a and a % 4 = 2;
