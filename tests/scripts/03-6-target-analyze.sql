-- heap_wal 3.3: ANALYZE within a transaction block: what pg_class says is changed in place, at once and for good, but the sessions hear of it as of any other change
create table t (a int, b text) with (fillfactor = 50);
insert into t select g, repeat('x', 500) from generate_series(1, 30) g;
vacuum t;
insert into t values (101, repeat('y', 2000));
--@ session B
insert into t values (102, repeat('y', 2000));
insert into t values (103, repeat('y', 2500));
--@ session A
alter table t set (fillfactor = 100);
insert into t values (104, repeat('y', 100));
--@ session B
insert into t values (105, repeat('y', 1500));
--@ session A
begin;
analyze t;
insert into t values (106, 'y');
--@ session B
insert into t values (107, 'y');
--@ session A
insert into t values (108, repeat('y', 700));
commit;
--@ session B
insert into t values (109, 'y');
--@ session A
insert into t values (110, 'y');
insert into t values (111, repeat('y', 1800));
begin;
analyze t;
insert into t values (112, 'y');
insert into t values (113, repeat('y', 1900));
rollback;
insert into t values (114, 'y');
--@ session B
insert into t values (115, 'y');
