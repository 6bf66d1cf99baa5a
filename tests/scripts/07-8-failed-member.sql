-- heap_wal 7.5: a MultiXact that began after a transaction which has failed, but not ended, is finished as any other: VACUUM takes it away, and from 16 on freezes the page.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 20) g;
--@ session B
begin;
select a from t where a = 20 for share;
select 1 / (a - 20) from t where a = 20;
--@ session A
begin;
select a from t where a = 1 for key share;
--@ session C
begin;
select a from t where a = 1 for key share;
commit;
--@ session A
commit;
vacuum t;
--@ session B
rollback;
vacuum t;
