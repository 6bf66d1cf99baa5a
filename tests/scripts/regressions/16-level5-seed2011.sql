-- Found by the random scripts: after REINDEX nobody knows where rows were put last.
create table t0 (a int primary key, c0 int, c1 text, c2 jsonb, c3 int);
insert into t0 (a, c0) select g, 100 / (g - 91) from generate_series(92, 139, 1) g;
insert into t0 (a, c0, c2) select g, g % 7, '{"k": 76, "l": ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}' from generate_series(260, 319, 1) g;
vacuum (truncate off) t0;
update t0 set c3 = -39053 where a = 272;
reindex index t0_pkey;
select * from t0 where a = 265;
insert into t0 (a, c3) select a + 1200000000, c3 from t0 where a between 84 and 111;
