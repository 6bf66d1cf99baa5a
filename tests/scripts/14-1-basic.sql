-- heap_wal 14.1: the life of a small table with an index: insertion, HOT and other updates, an aborted insertion, hint bits, VACUUM.
create table t(a int primary key, b int, c text);
checkpoint;
insert into t values (1,10,'abc');
-- wal 13: INSERT+INIT 67, NEWROOT 102, INSERT_LEAF 64
-- wal 14-: INSERT+INIT 67, NEWROOT 90, INSERT_LEAF 64
insert into t values (2,20,'abcdef');
-- wal: INSERT 70, INSERT_LEAF 64
insert into t select g,g,'x' from generate_series(3,5) g;
-- wal: INSERT 65, INSERT_LEAF 64, INSERT 65, INSERT_LEAF 64, INSERT 65, INSERT_LEAF 64
-- status: INSERT 0 3
update t set b=11 where a=1;
-- wal: HOT_UPDATE 71
update t set c='abcdefgh' where a=2;
-- wal: HOT_UPDATE 77
update t set a=100 where a=3;
-- wal: UPDATE 69, INSERT_LEAF 64
delete from t where a=4;
-- wal: DELETE 54
begin;
insert into t values(50,1,'q');
-- wal: INSERT 65, INSERT_LEAF 64
rollback;
-- wal: none
select * from t;
-- wal: none
vacuum t;
-- wal 13: CLEAN 68, CLEANUP_INFO 42, VACUUM 56, CLEAN 60, VISIBLE 8256
-- wal 14-15: PRUNE 68, VACUUM 56, VACUUM 54, VISIBLE 8256
-- wal 16: PRUNE 69, VACUUM 56, VACUUM 54, VISIBLE 8256
-- wal 17-: PRUNE_VACUUM_SCAN 70, VACUUM 56, PRUNE_VACUUM_CLEANUP 56, VISIBLE 8256
-- lp 14- t:0: 1:6/2/0 2:7/2/0 3:0/0/0 4:0/0/0 5:8152/1/34 6:8112/1/36 7:8064/1/41 8:8024/1/34 flags 5
-- lp 13 t:0: 1:6/2/0 2:7/2/0 3:0/0/0 4:0/0/0 5:8152/1/34 6:8112/1/36 7:8064/1/41 8:8024/1/34 9:0/0/0 flags 5
