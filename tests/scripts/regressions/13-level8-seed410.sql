-- Found by the random scripts: outcome: status.
create table t0 (a int primary key, c0 int, c1 text, c2 varchar(200));
--@ session B
vacuum (index_cleanup auto, truncate off) t0;
