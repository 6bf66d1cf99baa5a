-- Found by the random scripts: which table of a join is read first, and whether the other is read at all.
create table t0 (a int primary key, c0 int, c1 text, c2 uuid not null);
create table t1 (a int primary key, c0 int);
insert into t1 (a) select g from generate_series(3, 79, 4) g;
--@ session B
update t0 set c0 = s.v from (select a as k, c0 + 1 as v from t1 where a % 4 = 1 and a >= 5) s where s.k = t0.a and a % 4 = 1;
