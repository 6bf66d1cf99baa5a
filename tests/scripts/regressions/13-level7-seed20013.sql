-- Found by the random scripts: transaction ids: number used.
create table t0 (a int primary key, c0 int, c1 text, c2 int);
insert into t0 (a, c0, c1) select g, g % 7, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa' from generate_series(0, 216, 4) g;
vacuum (analyze) t0;
