-- heap_wal 10.4: a page of which only the first half was written; the image of its first change after the checkpoint repairs it.
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 20) g;
checkpoint;
update t set b = 'y' where a = 1;
update t set b = 'z' where a = 2;
--@ crash torn t 0 4096
select count(*) from t;
