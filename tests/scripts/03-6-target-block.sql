-- heap_wal 3.3: a session forgets a table's target block with each command that changed the table's definition, and again when such a change is
-- rolled back; other sessions hear of it at COMMIT only.
create table t (a int, b text);
alter table t alter column b set storage external;
insert into t select g, repeat('x', 500) from generate_series(1, 75) g;
delete from t where a in (3, 18, 33, 48, 63);
vacuum t;
insert into t values (101, repeat('y', 700));
--@ session B
insert into t values (102, repeat('y', 1000));
--@ session A
begin;
alter table t set (fillfactor = 99);
insert into t values (103, repeat('y', 100));
rollback;
insert into t values (104, repeat('y', 1000));
begin;
truncate t;
rollback;
insert into t values (105, repeat('y', 300));
insert into t values (106, repeat('y', 1000));
begin;
savepoint s;
truncate t;
rollback to s;
insert into t values (107, repeat('y', 400));
commit;
--@ session B
insert into t values (108, repeat('y', 100));
--@ session A
insert into t values (109, repeat('y', 1000));
create index t_a on t (a);
insert into t values (110, repeat('y', 50));
insert into t values (111, repeat('y', 1000));
reindex index t_a;
insert into t values (112, repeat('y', 50));
insert into t values (113, repeat('y', 1000));
begin;
insert into t values (114, repeat('y', 30));
analyze t;
insert into t values (115, repeat('y', 30));
savepoint s;
delete from t where a = 112;
analyze t;
insert into t values (116, repeat('y', 30));
commit;
-- the others keep theirs. What the transaction did to the definition is taken back with it, and what it put there is left where it is
--@ session B
insert into t values (116, 'y');
begin;
truncate t;
rollback;
insert into t values (117, repeat('y', 600));
--@ session A
insert into t values (118, 'y');
--@ session B
begin;
insert into t values (119, repeat('y', 600));
alter table t add column c int;
insert into t values (120, 'y', 1);
rollback;
insert into t values (121, 'y');
--@ session A
insert into t values (122, 'y');
