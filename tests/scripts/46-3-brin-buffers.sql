-- BUFFERS of scans of BRIN indexes.
create table t (a int, b text);
insert into t select g, repeat('x', 100) from generate_series(1, 10000) g;
create index t_a on t using brin (a) with (pages_per_range = 8);
vacuum analyze t;
-- operators are looked up in catalogs, whose blocks are not told
select count(*) from t where a < 50 or a in (7, 9);
select count(*) from t where a >= 9000 and a <= 9001;
explain (analyze, buffers, costs off, timing off, summary off) select * from t where a = 500;
explain (analyze, buffers, costs off, timing off, summary off) select count(*) from t where a in (5, 9000);
explain (analyze, buffers, costs off, timing off, summary off) select count(*) from t where a < 5 or a = 7777;
explain (analyze, buffers, costs off, timing off, summary off) update t set b = 'y' where a between 100 and 110;
explain (analyze, buffers, costs off, timing off, summary off) select * from t where a between 100 and 110;
