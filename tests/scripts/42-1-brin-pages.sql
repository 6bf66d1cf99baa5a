-- Pages of BRIN indexes: what CREATE INDEX makes of a table with and without rows, and the WAL of it.
create table e (a int);
create index e_a on e using brin (a);
insert into e select generate_series(1, 10);
create table t (a int, b text, c timestamp, d numeric, f float8, g int8, h date, i timestamptz, j char(5), k int2);
insert into t select g, 'row ' || g, timestamp '2024-01-01' + g * interval '1 minute', g / 7.0, g / 3.0, g * 1000000000,
    date '2024-01-01' + g, timestamptz '2024-01-01 00:00:00+00' + g * interval '1 hour', g % 100, g % 300
  from generate_series(1, 3000) g;
create index t_a on t using brin (a) with (pages_per_range = 4);
create index t_b on t using brin (b) with (pages_per_range = 3);
create index t_c on t using brin (c) with (pages_per_range = 1);
create index t_d on t using brin (d) with (pages_per_range = 2, autosummarize = off);
create index t_f on t using brin (f);
create index t_g on t using brin (g) with (pages_per_range = 2);
create index t_h on t using brin (h) with (pages_per_range = 2);
create index t_i on t using brin (i) with (pages_per_range = 2);
create index t_j on t using brin (j) with (pages_per_range = 2);
create index t_k on t using brin (k) with (pages_per_range = 2);
create index t_some on t using brin (a, b, c) with (pages_per_range = 2);
create index t_expr on t using brin ((a * 2)) with (pages_per_range = 8);
create index t_part on t using brin (a) with (pages_per_range = 4) where a < 500;
-- ranges without rows, with NULLs only, and with some
create table n (a int, b int);
insert into n select g, case when g <= 1000 then null when g % 10 = 0 then null else g end from generate_series(1, 3000) g;
create index n_b on n using brin (b) with (pages_per_range = 1);
create index n_ab on n using brin (a, b) with (pages_per_range = 2);
delete from n where a > 2000;
create index n_late on n using brin (b) with (pages_per_range = 2);
vacuum n;
create index n_empty on n using brin (b) with (pages_per_range = 2);
reindex index n_b;
truncate t;
drop index n_ab;
