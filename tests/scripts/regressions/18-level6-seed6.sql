-- Found by the random scripts: page t/main:: pd_lsn.
create table t2 (a int primary key, c0 int) with (fillfactor = 90);
--@ session B
insert into t2 values (1, null) on conflict (a) do update set c0 = excluded.c0;
