-- pg_switch_wal ends a segment by a record without data; at the beginning of one it does nothing.
create table t (a int);
insert into t values (1);
checkpoint;
insert into t values (2);
select pg_wal_lsn_diff(pg_switch_wal(), '0/0') > 0;
insert into t values (3);
select pg_switch_wal() is not null, pg_switch_wal() is not null;
begin;
insert into t values (4);
select pg_switch_wal() is not null;
insert into t values (5);
commit;
update t set a = a + 1;
