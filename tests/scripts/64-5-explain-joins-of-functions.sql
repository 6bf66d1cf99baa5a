-- plans with scans of functions and VALUES in joins
create table t (id int primary key, a int, b text);
insert into t select i, i % 5, 'r' || i from generate_series(1, 60) i;
explain (costs off) select i, k from generate_series(1,3) i, generate_series(1,2) k;
explain (costs off) select i, k from generate_series(1,3) i join generate_series(1,2) k on i = k;
explain (costs off) select i, count(*) from generate_series(1,3) i join generate_series(1,2) k on i = k group by i;
explain (costs off) select i, k, count(*) from generate_series(1,3) i, generate_series(1,2) k group by i, k;
explain select i, k from generate_series(1,30) i join generate_series(1,20) k on i = k;
explain (costs off) select t.id, i from t join generate_series(1,20) i on t.a = i;
explain (costs off) select t.id, u from t join unnest(array[1,2,3]) u on t.id = u;
explain (costs off) select d, count(t.id) from generate_series(1, 8) d left join t on t.a = d group by d;
explain (costs off) select t.id, w from t join regexp_split_to_table('a b', ' ') w on t.b = w;
select i, k from generate_series(1,3) i, generate_series(1,2) k;
select i, t.id from generate_series(1,3) i, t where t.id < 4;
select i, t.id from t, generate_series(1,3) i where t.id < 4;
select x, i from (values (1),(2),(3)) v(x), generate_series(1,2) i;
select x, i from generate_series(1,2) i, (values (1),(2),(3)) v(x);
select x, y from (values (1),(2),(3)) v(x), (values ('a'),('b')) w(y);
select x, t.id from (values (1),(2),(3)) v(x), t where t.a = 1 and id < 20;
