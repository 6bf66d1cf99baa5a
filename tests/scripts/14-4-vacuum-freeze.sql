-- heap_wal 14.4: VACUUM (FREEZE) of a table without an index.
create table t(a int, b int);
insert into t select g, g from generate_series(1,6) g;
-- wal: INSERT+INIT 63, 5 x INSERT 63
delete from t where a in (3,6);
-- wal: 2 x DELETE 54
vacuum (freeze) t;
-- wal 13: CLEAN 58, FREEZE_PAGE 100, CLEAN 58, VISIBLE 8256
-- wal 14-15: PRUNE 58, FREEZE_PAGE 100, VACUUM 52, VISIBLE 8256
-- wal 16: PRUNE 59, FREEZE_PAGE 73, VACUUM 52, VISIBLE 8256
-- wal 17-: PRUNE_VACUUM_SCAN 82, VISIBLE 8256
-- lp 13 t:0: 1:8160/1/32 2:8128/1/32 3:0/0/0 4:8096/1/32 5:8064/1/32 6:0/0/0 flags 5
-- lp 14- t:0: 1:8160/1/32 2:8128/1/32 3:0/0/0 4:8096/1/32 5:8064/1/32 flags 5
