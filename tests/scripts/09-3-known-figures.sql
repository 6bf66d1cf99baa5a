-- How large a table is, ANALYZE and CREATE INDEX write in place, so that no abort takes it back. Before 14 other sessions hear of it when the transaction
-- commits, and plan with what they knew until another change of the table makes them look again: a key is looked for in an index, or on the only page.
create table t (a int primary key, b int);
insert into t select g, g from generate_series(1, 20) g;
select b from t where a = 1;
--@ session B
begin;
analyze t;
rollback;
--@ session A
insert into t select g, g from generate_series(21, 25) g;
select b from t where a = 2;
--@ session B
insert into t select g, g from generate_series(31, 35) g;
select b from t where a = 3;
--@ session A
insert into t select g, g from generate_series(41, 45) g;
update t set b = 0 where a = 4;
--@ session C
insert into t select g, g from generate_series(51, 55) g;
select b from t where a = 5;
alter table t set (fillfactor = 90);
--@ session A
insert into t select g, g from generate_series(61, 65) g;
select b from t where a = 6;
-- the same of an index
create table u (a int primary key, b int);
insert into u select g, g from generate_series(1, 20) g;
select b from u where a = 1;
--@ session B
begin;
create index u_b on u (b);
insert into u select g, g from generate_series(21, 25) g;
select b from u where a = 2;
rollback;
insert into u select g, g from generate_series(31, 35) g;
select b from u where a = 3;
--@ session A
insert into u select g, g from generate_series(41, 45) g;
select b from u where a = 4;
analyze u;
--@ session B
insert into u select g, g from generate_series(51, 55) g;
select b from u where a = 5;
-- a row of pg_class that is written anew has what its writer has heard: before 14 what was written in place is lost
create table v (a int primary key, b int, c text);
insert into v (a, b) select g, 6 from generate_series(1, 20) g;
--@ session B
begin;
create index v_b on v (b);
rollback;
--@ session A
alter table v add column d text default 'abc';
update v set d = null where a = 7;
insert into v (a, b) values (21, 1);
--@ session C
update v set c = 'x' where a = 8;
select b from v where a = 9;
