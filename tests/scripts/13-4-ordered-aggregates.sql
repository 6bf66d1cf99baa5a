-- An aggregate with ORDER BY takes its rows in that order, each its own; from 16 on an index may give it (adjust_group_pathkeys_for_groupagg).
create table t (a int primary key, b text, c int);
insert into t select g, 'v' || g % 7, g % 3 from generate_series(1, 40) g;
create table r as select string_agg(b, ',' order by c desc, a) as x, string_agg(b, '' order by b, a desc) as y, count(*) as n, min(c order by a) as m from t where a > 5;
insert into r select string_agg(a::text, ' ' order by a desc), 'y', count(*), sum(c order by c nulls first) from t;
analyze t;
update t set b = 'changed' where a = 3;
select string_agg(b, ',' order by a) from t;
select upper('a' order by 1);
-- the name of an index has all its columns, a column that comes again has a number
create unique index on t (a desc nulls first, c) include (b, a) where a > 3;
create index on t (lower(b), (a + 1), (c + 1));
create table u (a int, b int, d text, unique (a, b) include (d));
insert into u values (1, 2, 'x');
