-- Found by the random scripts: page t/main:: whole page.
create table t0 (a int primary key, c0 int, c1 text, c2 boolean) with (fillfactor = 80);
create table t1 (a int, c0 int, c1 text, c2 char(40), r int references t0) with (fillfactor = 95);
insert into t1 (a) select g from generate_series(2, 59, 3) g;
delete from t1 using t0 where t0.a = t1.a and t0.c0 = 13 and t1.a < 20;
