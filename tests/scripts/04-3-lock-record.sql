-- heap_wal 4.3: an update that goes to another page, or to TOAST, writes a LOCK record first.
create table t (a int primary key, b char(1500));
insert into t select g, 'x' from generate_series(1, 5) g;
update t set b = 'y' where a = 1;
update t set a = 100 where a = 2;
checkpoint;
update t set b = 'z' where a = 3;
vacuum (freeze) t;
update t set b = 'v' where a = 4;
