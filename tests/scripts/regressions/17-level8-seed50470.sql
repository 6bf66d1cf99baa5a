-- Found by the random scripts: which table of a join is read first, and whether the other is read at all.
create table t0 (a int, c0 int, c1 text, c2 boolean) with (fillfactor = 80);
insert into t0 (a) select g from generate_series(3, 79, 4) g;
create table t1 (a int primary key, c0 int, c1 text, c2 char(40) not null, c3 real) with (fillfactor = 95);
update t1 set c0 = t0.c0 from t0 where t0.a = t1.a and t1.a < 24;
