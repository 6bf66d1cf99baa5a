-- heap_wal 2.3: rows formed before a column was added have fewer attributes; dropped columns are null in new rows.
create table t (a int, b int, c text);
insert into t values (1, 2, 'x');
alter table t add column d int default 7;
insert into t values (2, 3, 'y', 8);
update t set b = 5 where a = 1;
alter table t drop column b;
insert into t values (3, 'z', 9);
update t set c = 'w' where a = 2;
select * from t;
alter table t set (fillfactor = 50);
insert into t values (4, 'v', 1);
