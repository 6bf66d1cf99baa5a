-- Unlogged tables: an init fork, no WAL.
create unlogged table t (a int, b text);
insert into t values (1, 'x'), (2, 'y');
-- wal: none
update t set b = 'z' where a = 1;
delete from t where a = 2;
select * from t;
vacuum t;
