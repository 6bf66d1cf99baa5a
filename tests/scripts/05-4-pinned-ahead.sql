-- heap_wal 5.1: a page that somebody has pinned is not pruned. A sequential scan from 17 on, a bitmap scan from 18 on hold the next page too, so that their own uniqueness checks, which lead there, do not prune it.
create table t (id int primary key, c int, f char(700));
create index t_c on t (c);
insert into t select g, 1, 'f' from generate_series(1, 20) g;
delete from t where id <= 11;
vacuum t;
update t set c = 2;
update t set c = 3;
create table u (id int primary key, c int, f char(700));
create index u_c on u (c);
insert into u select g, 1, 'f' from generate_series(1, 20) g;
delete from u where id <= 11;
vacuum u;
update u set c = 2;
set enable_seqscan = off;
set enable_indexscan = off;
update u set c = 3 where c = 2;
