-- min and max leave the NULLs of an index alone: IS NOT NULL is a bound, whichever end they are at
create table t (a int primary key, b int, c text);
create index t_b on t (b);
create index t_c on t (c desc);
insert into t select g, g % 5, repeat('x', g % 4) from generate_series(1, 1000) g;
insert into t (a) select generate_series(1001, 1060);
select max(b) from t where a between 3 and 50;
select min(b) from t where a between 3 and 50;
insert into t (a) select generate_series(1101, 1160);
select max(c) from t where a between 3 and 50;
select min(c) from t where a between 3 and 50;
insert into t (a) select generate_series(1201, 1260);
set enable_seqscan = off;
set enable_bitmapscan = off;
select a from t where b > 3;
select a from t where b is not null;
select a from t where b is null limit 2;
select a from t where c is null limit 70;
