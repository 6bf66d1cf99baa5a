-- what ranges have in common, as an aggregate (range_intersect_agg, from 14 on)
create table t656 (g int, r int4range, d daterange, n numrange);
insert into t656 values (1, '[1,10)', '[2020-01-01,2020-02-01)', '[1.5,2.5]'), (1, '[5,20)', '[2020-01-15,)', '(1.5,9)'), (1, null, null, null), (2, '[1,3)', 'empty', '(,5]'), (2, '[7,9)', '[2020-01-01,2020-02-01)', '[2,)'), (3, null, null, null);
select g, range_intersect_agg(r), range_intersect_agg(d), range_intersect_agg(n) from t656 group by g order by g;
select range_intersect_agg(r) from t656;
select range_intersect_agg(r) filter (where g = 1) from t656;
select range_intersect_agg(r) over (partition by g order by lower(r)) from t656 where g < 3 order by g, lower(r);
select range_intersect_agg(r) from t656 where false;
select range_intersect_agg(distinct r) from t656 where g = 1;
select range_intersect_agg(g) from t656;
select range_intersect_agg('[1,2)');
create view v656 as select range_intersect_agg(r) as common from t656;
select pg_get_viewdef('v656');
