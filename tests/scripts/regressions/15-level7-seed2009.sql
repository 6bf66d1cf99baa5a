-- Found by the random scripts: min and max read one row each from an index.
create table t1 (a int primary key, c0 int, c1 text);
insert into t1 (a) select g from generate_series(2, 59, 3) g;
select min(a), max(a) from t1;
