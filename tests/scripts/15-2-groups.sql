-- GROUP BY, HAVING, DISTINCT, FILTER, UNION and its like.
create table t (id int, g int, v int, s text);
insert into t select x, x % 4, x * x, case when x % 5 > 0 then 'n' || x % 3 end from generate_series(1, 40) x;
select g, count(*), sum(v), min(s), max(v), avg(v) from t group by g order by g;
select g, count(*) filter (where v > 300), count(s), count(distinct s) from t group by g having sum(v) > 5000 order by 1;
select g * 2 as d, array_agg(id order by id desc) from t where id < 10 group by d order by d;
select distinct g from t order by g desc;
select distinct on (g) g, id from t order by g, id desc;
select g from t union select 99 order by 1;
select g from t where g > 1 union all select g from t where id = 1 order by g limit 3;
select g from t intersect select id from t order by 1;
select id from t except select g from t order by 1 limit 3;
select g, s from t group by g;
select count(*) from t having count(*) > 100;
select case when v > 500 then 'large' else 'small' end as size, count(*) from t group by 1 order by 1;
select id, row_number() over (partition by g order by id) from t where id < 9 order by id;
select id, rank() over (order by g), dense_rank() over (order by g), sum(v) over (order by g), lag(id) over (order by id), count(*) over () from t where id < 7 order by id;
