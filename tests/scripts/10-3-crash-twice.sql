-- heap_wal 10.2: recovery ends with a checkpoint: the next change of a page brings an image, and the next recovery begins there.
create table t (a int, b char(100));
insert into t select g, 'x' from generate_series(1, 100) g;
--@ crash
update t set b = 'y' where a = 7;
--@ crash
update t set b = 'z' where a = 8;
delete from t where a > 90;
--@ crash
vacuum (freeze) t;
--@ crash
select count(*) from t;
truncate t;
insert into t values (1, 'new');
--@ crash
insert into t values (2, 'newer');
