-- Found by the random scripts: outcome: status.
create table t1 (a int primary key, c0 int, c1 text, c2 interval, c3 varchar(200), c4 int);
vacuum (index_cleanup auto, truncate off) t1;
