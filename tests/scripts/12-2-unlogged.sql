-- Unlogged tables: an init fork, no WAL.
create unlogged table t (a int, b text);
insert into t values (1, 'x'), (2, 'y');
-- wal: none
update t set b = 'z' where a = 1;
delete from t where a = 2;
select * from t;
vacuum t;
create unlogged table w (a int, b int);
insert into w select g, g from generate_series(1, 100) g;
create index w_a on w using brin (a);
update w set a = 0 where b = 7;
update w set b = 0 where b = 8;
