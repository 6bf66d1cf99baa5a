-- heap_wal 8.2, 8.5: the first change of a page after a checkpoint carries an image, without its hole; the first row of a new page does not.
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 30) g;
checkpoint;
update t set b = 'y' where a = 1;
update t set b = 'z' where a = 1;
insert into t values (100, 'w');
delete from t where a = 25;
checkpoint;
select count(*) from t;
select * from t where a = 26 for update;
vacuum t;
checkpoint;
delete from t where a = 2;
vacuum t;
