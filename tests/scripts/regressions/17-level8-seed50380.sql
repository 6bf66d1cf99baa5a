-- Found by the random scripts: which table of a join is read first, and whether the other is read at all.
create table t0 (a int primary key, c0 int, c1 text, c2 inet, c3 inet, c4 uuid) with (fillfactor = 80);
create table t1 (a int primary key, c0 int, c1 text, r int references t0);
create table t2 (a int primary key, c0 int, c1 text, r int references t0);
insert into t1 (a, c0) select g, 5 from generate_series(0, 8, 1) g on conflict do nothing;
delete from t1 using t2 where t2.a = t1.a and t2.c0 = 27 and t1.a < 22;
