-- pg_column_size and pg_column_compression read no value out of line, also beside functions that do.
create table t (id int, d text);
alter table t alter d set storage external;
insert into t select g, repeat('abc', 3000 + g) from generate_series(1, 3) g;
select pg_column_size(d) from t;
select id, pg_column_size(d), length(d) from t order by id;
select id from t where pg_column_size(d) > 9003;
create table c (id int, d text);
insert into c select g, (select string_agg(md5((g * i)::text), '') from generate_series(1, 200) i) || repeat('x', 9000) from generate_series(1, 3) g;
select id, pg_column_size(d), octet_length(d), pg_column_size(d || 'y') from c order by id;
select max(pg_column_size(d)), sum(length(d)) from c;
update c set id = pg_column_size(d) where id = 2;
select id from c order by id;
