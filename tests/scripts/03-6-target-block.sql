-- rule 3: a session forgets the target block of a table that it changes, also where that is taken back; the others keep it
create table t (a int, b text);
insert into t select g, repeat('x', 900) from generate_series(1, 12) g;
delete from t where a < 4;
vacuum t;
insert into t values (20, 'y');
--@ session B
insert into t values (21, 'y');
begin;
truncate t;
rollback;
insert into t values (22, 'y');
--@ session A
insert into t values (23, 'y');
--@ session B
begin;
insert into t values (24, repeat('x', 900));
alter table t add column c int;
insert into t values (25, 'y', 1);
rollback;
insert into t values (26, 'y');
--@ session A
insert into t values (27, 'y');
