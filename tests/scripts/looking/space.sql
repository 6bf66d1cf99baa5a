-- How much of a table and an index is used; sizes of relations, of values.
create extension pgstattuple;
create table t (a int primary key, b text);
insert into t select g, 'row ' || g from generate_series(1, 1000) g;
select * from pgstattuple('t');
delete from t where a % 3 = 0;
select * from pgstattuple('t');
select * from pgstatindex('t_pkey');
vacuum t;
select * from pgstattuple('t'::regclass);
select * from pgstatindex('t_pkey'::regclass);
select pg_relation_size('t'), pg_table_size('t'), pg_indexes_size('t'), pg_total_relation_size('t'), pg_relation_size('t', 'vm');
select pg_size_pretty(pg_total_relation_size('t')), pg_size_pretty(10239::bigint), pg_size_pretty(10240::bigint), pg_size_pretty(5000000000);
create table w (a int, b text);
insert into w values (1, 'short'), (2, repeat('x', 200)), (3, repeat('abc', 2000));
select a, pg_column_size(a), pg_column_size(b), length(b) from w order by a;
select pg_column_size('abc'::text), pg_column_size(1::bigint), pg_column_size(null::int);
