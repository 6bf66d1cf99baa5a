-- Found by the random scripts: a scan from the right to the left marks entries of dead rows too.
create table t0 (a int primary key, c0 int, c1 text, c2 interval) with (fillfactor = 70);
create index t0_c0 on t0 (c0);
begin;
insert into t0 (a, c0) select g, 23 from generate_series(2, 13, 1) g on conflict (a) do update set c0 = t0.c0 + excluded.c0 where t0.c0 > 19;
rollback;
select c0 from t0 order by c0 desc limit 3;
