-- Found by the random scripts: a table that another refers to cannot be truncated.
create table t0 (a int primary key, c0 int) with (fillfactor = 50);
create table t1 (a int, c0 int, c1 text, c2 "char", c3 smallint, c4 jsonb, r int references t0) with (fillfactor = 70);
truncate t0;
