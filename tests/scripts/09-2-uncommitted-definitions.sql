-- What a transaction changes of a table, others see when it has committed: an index, a storage parameter, what ANALYZE found out of columns.
create table t (a int, b int, c int);
insert into t select g, g % 100, g % 50 from generate_series(1, 2000) g;
--@ session B
begin;
create index t_b on t (b);
--@ session A
select a from t where b = 5;
--@ session B
select a from t where b = 6;
commit;
--@ session A
select a from t where b = 7;
-- two sessions make an index each
--@ session B
begin;
create index t_c on t (c);
--@ session A
begin;
create index t_a on t (a);
select count(*) from t where c = 9;
--@ session B
select count(*) from t where a = 10;
commit;
--@ session A
select count(*) from t where a = 11 or c = 11;
commit;
--@ session B
update t set c = 17 where a = 5;
update t set b = 17 where a = 5;
update t set a = 2017 where a = 5;
--@ session C
begin;
create index t_ab on t (a, b);
--@ session B
begin;
create index t_ca on t (c, a);
commit;
--@ session C
rollback;
--@ session B
update t set c = 18 where a = 6;
--@ session A
update t set b = 18 where a = 6;
-- a storage parameter
create table p (a int, b text);
insert into p select g, repeat('x', 500) from generate_series(1, 5) g;
--@ session B
begin;
alter table p set (fillfactor = 20);
--@ session A
insert into p select g, repeat('x', 500) from generate_series(6, 10) g;
--@ session B
insert into p select g, repeat('x', 500) from generate_series(11, 15) g;
commit;
--@ session A
insert into p select g, repeat('x', 500) from generate_series(16, 20) g;
-- statistics of columns: nearly all rows have the value, which an index does not help to find
create table s (a int, b int);
create index s_b on s (b);
insert into s select g, 5 from generate_series(1, 2000) g;
--@ session B
begin;
analyze s;
--@ session A
insert into s select g, 7 from generate_series(1, 300) g;
select count(a) from s where b = 5;
--@ session B
select count(a) from s where b = 5;
rollback;
--@ session A
insert into s select g, 7 from generate_series(1, 300) g;
select count(a) from s where b = 5;
analyze s;
insert into s select g, 7 from generate_series(1, 300) g;
--@ session B
select count(a) from s where b = 5;
