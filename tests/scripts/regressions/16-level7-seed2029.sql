-- Found by the random scripts: outcome: status.
create table t0 (a int primary key, c0 int, c1 text) with (fillfactor = 95);
create table t1 (a int primary key, c0 int, c1 text, r int references t0) with (fillfactor = 95);
truncate t0;
