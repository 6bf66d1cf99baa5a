-- nodeAgg.c, numeric.c, float.c, timestamp.c: avg of each type, bool_and and bool_or, array_agg, and DISTINCT, which sorts.
create table t (a int primary key, b smallint, c bigint, d numeric(10,3), e real, f double precision, g interval, h boolean, i text, j numeric);
select avg(a), avg(d), avg(f), avg(g), bool_and(h), bool_or(h), array_agg(a), count(distinct a) from t;
insert into t values
    (1, 10, 9223372036854775807, 1.005, 0.1, 0.1, '1 month', true, 'one', 1),
    (2, 20, 9223372036854775806, -7.25, 0.2, 0.2, '2 days 01:00', true, 'two', 1e20),
    (4, null, null, null, null, null, null, null, null, null),
    (3, 31, -5, 1234567.891, 1e10, 1e10, '-00:00:01.5', false, 'two', 0.00000000000000000001);
select avg(a), avg(b), avg(c), avg(d), avg(e), avg(f), avg(g), avg(j) from t;
select avg(a) from t where a < 3;
select avg(a * 1.5), avg(-a), avg(c / 3), avg(f * f), avg(a) + 1, avg(a)::text, avg(a)::int, avg(d)::numeric(8,1) from t;

select avg(g), sum(g), count(*) from generate_series(1, 1000) g;
select avg(g / 7.0), avg(g * 1e-20), avg(g * 1e20), avg(g * 123456789012345678901234567890.5) from generate_series(1, 7) g;
select bool_and(h), bool_or(h), every(h), bool_and(not h), bool_or(a > 3), every(a > 0) from t;
select bool_and(h), bool_or(h) from t where a = 4;
select array_agg(a), array_agg(i), array_agg(a order by a desc), array_agg(i order by a) from t;
select array_agg(a) from t where a > 100;
-- DISTINCT
select count(distinct i), count(distinct b), count(distinct h), sum(distinct b), avg(distinct a), min(distinct a), max(distinct b), count(all i) from t;
select array_agg(distinct i), array_agg(distinct i order by i desc), string_agg(distinct i, ','), string_agg(distinct i, ',' order by i desc) from t;
select count(distinct g % 7), sum(distinct g % 7), array_agg(distinct g % 7), count(distinct 1) from generate_series(1, 100) g;
select count(distinct a), count(distinct a + 1) from t where false;
-- what floats do
insert into t (a, f, e) values (10, 'infinity', '-infinity'), (11, '-infinity', 'nan');
select avg(f), avg(e) from t where a = 10;
select avg(f), avg(e) from t where a >= 10;
select avg(f), avg(e) from t;
update t set f = 1e200 where a = 10;
update t set f = -1e200 where a = 11;
select avg(f) from t where a >= 10;
update t set f = 1e308 where a >= 10;
select avg(f) from t where a >= 10;
insert into t (a, j) values (20, 'nan');
select avg(j) from t;
-- what is refused
select avg(true);
select avg('1');
select avg(i) from t;
select bool_and(1);
select every(a) from t;
select bool_or('x');
select bool_or('yes');
select array_agg('x');
select upper(distinct i) from t;
select string_agg(distinct i, ',' order by a) from t;
select count(distinct '1'::json);
select avg(a), a from t;
select a from t where avg(a) > 1;
-- min and max of distinct values are those of all
explain (costs off) select min(distinct a) from t;
explain (costs off) select avg(a), bool_and(h) from t where a > 2;
explain (costs off) select count(distinct a) from t;
explain (costs off) select count(distinct i), string_agg(i, ',' order by i desc) from t;
explain (costs off) select array_agg(b::int order by i, a), array_agg(a order by i), sum(distinct b) from t;
select array_agg(b::int), array_agg(b::int order by i, a), array_agg(a order by i), sum(distinct b), sum(f) from t where a < 10;
select array_agg(g), array_agg(g order by g desc), count(distinct g % 3) from generate_series(1, 9) g limit 1;
select array_agg(a), array_agg(distinct i), array_agg(g order by a), count(distinct a) from t, generate_series(1, 2) g where a < 10;
set enable_presorted_aggregate = off;
select array_agg(b::int), array_agg(b::int order by i, a) from t where a < 10;
explain (costs off) select count(distinct a) from t;
reset enable_presorted_aggregate;
-- as values of rows
create table r (n numeric, x float8, b boolean, d int[]);
insert into r select avg(a), avg(f), bool_or(h), array_agg(a order by a) from t;
insert into r values (1);
create table s as select avg(b) as n, avg(g) as g, count(distinct i) as c from t;
select * from r;
select * from s;
-- values that lie in the TOAST table, and many duplicates
create table w (id int, v text);
alter table w alter v set storage external;
insert into w select g, repeat(substr('abc', g % 3 + 1, 1), 2500) from generate_series(1, 9) g;
select count(distinct v), length(min(distinct v)) from w;
create index w_id on w (id);
insert into w select g % 5, 'x' from generate_series(1, 2000) g;
analyze w;
select count(distinct id), avg(id), count(distinct v) from w;
explain (costs off) select count(distinct id), array_agg(v order by id, v) from w;
set enable_seqscan = off;
explain (costs off) select count(distinct id), count(distinct v) from w;
explain (costs off) select string_agg(v, ',' order by id, v) from w where id > 1;
select string_agg(left(v, 1), ',' order by id, v), md5(string_agg(v, '')) from w where id > 3;
select count(distinct id), sum(distinct id) from w;
delete from w where id = 3;
select count(distinct id) from w;
select count(distinct id) from w;
