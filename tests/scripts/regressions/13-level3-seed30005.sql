-- Found by the random scripts: page t/main:: tuple , t_xmax.
create table t0 (a int, c0 int, c1 text) with (fillfactor = 10);
begin;
insert into t0 (a, c0, c1) select g, g % 7, 'abcbabcacabcbbcbcbbcaccaaacaccbababbcc' from generate_series(8, 59, 1) g;
select a from t0 where a >= 20 for update;
savepoint s0;
delete from t0 where a / 1 % 5 = 4;
