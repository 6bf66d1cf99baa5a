-- heap_wal 14.2 and 14.3: a HOT chain, on-access pruning, compaction of tuples that are out of order, an update that finds no room.
create table t(a int primary key, b int, c char(900));
begin;
insert into t values (1,1,'x');
-- wal 13: INSERT+INIT 967, NEWROOT 102, INSERT_LEAF 64
-- wal 14-: INSERT+INIT 967, NEWROOT 90, INSERT_LEAF 64
insert into t select g, 1, 'x' from generate_series(2,5) g;
commit;
update t set b=b+1 where a=2;
-- wal: HOT_UPDATE 71
-- lp t:0: 1:7256/1/936 2:6320/1/936 3:5384/1/936 4:4448/1/936 5:3512/1/936 6:2576/1/936 flags 0
update t set b=b+1 where a=2;
-- wal: HOT_UPDATE 71
update t set b=b+1 where a=3;
-- wal: HOT_UPDATE 71
update t set b=b+1 where a=1;
-- wal 13: CLEAN 64, HOT_UPDATE 71
-- wal 14-15: PRUNE 64, HOT_UPDATE 71
-- wal 16: PRUNE 65, HOT_UPDATE 71
-- wal 17-: PRUNE_ON_ACCESS 66, HOT_UPDATE 71
-- lp t:0: 1:7256/1/936 2:7/2/0 3:8/2/0 4:6320/1/936 5:5384/1/936 6:2576/1/936 7:4448/1/936 8:3512/1/936 flags 1
delete from t where a=4;
insert into t values (6,1,'x');
insert into t values (7,1,'x');
select count(*) from t;
-- wal 13: CLEAN 60
-- wal 14-15: PRUNE 60
-- wal 16: PRUNE 61
-- wal 17-: PRUNE_ON_ACCESS 62
-- lp 13 t:0: 1:6/2/0 2:7/2/0 3:8/2/0 4:0/3/0 5:7256/1/936 6:4448/1/936 7:6320/1/936 8:5384/1/936 9:3512/1/936 10:2576/1/936 flags 0
-- lp 14- t:0: 1:6/2/0 2:7/2/0 3:8/2/0 4:0/3/0 5:7256/1/936 6:6320/1/936 7:5384/1/936 8:4448/1/936 9:3512/1/936 10:2576/1/936 flags 0
insert into t values (8,1,'x');
insert into t values (9,1,'x');
update t set b=b+1 where a=5;
-- wal: LOCK 54, UPDATE+INIT 986, INSERT_LEAF 64
select count(*) from t;
-- wal 13: CLEAN 56
-- wal 14-15: PRUNE 56
-- wal 16: PRUNE 57
-- wal 17-: PRUNE_ON_ACCESS 56
