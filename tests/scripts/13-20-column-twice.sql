-- an index that has a column twice: a condition restricts the first of them alone (match_clause_to_index)
create table t (a int, c int) with (fillfactor = 50);
create index t_c on t (c);
create index t_cc on t (c, c);
explain (costs off) select a from t where c < 1 and a > 22 order by a desc limit 3;
insert into t select g, g % 40 from generate_series(1, 400) g;
analyze t;
set enable_seqscan = off;
explain (costs off) select a from t where c = 5;
explain (costs off) select c from t where c = 5 and c is not null;
select a from t where c = 5 order by a;
drop index t_c;
explain (costs off) select a from t where c = 5;
explain (costs off) select c from t where c > 5 and c < 8 order by c;
select count(*) from t where c in (3, 4);
delete from t where c = 7;
select count(*) from t where c between 6 and 8;
