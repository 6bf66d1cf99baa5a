-- A language, a name that EXPLAIN or an error tells, the length that a value is cut to: what a session has to look up, wherever it is, gives REPEATABLE READ a newer horizon.
--@ session D
create table p (k int primary key, v int, c text) with (fillfactor = 10);
insert into p select g, 0, repeat('x', 250) from generate_series(1, 5) g;
create table q (k int primary key, v int);
insert into q values (1, 0);
create table t (a int primary key, b int, c text);
insert into t select g, g, 'x' from generate_series(1, 20) g;
create table u (a int primary key, b int not null, v varchar(5));
insert into u values (1, 1, 'x');
--@ session C
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update q set v = v + 1 where k = 1;
--@ session A
select v from p where k = 1;
select a from t where a = 1;
select a, b, v from u where a = 1;
insert into u values (2, 2, null);
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
explain (costs off) select a from t where a = 1;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
explain (costs off) select a from t where a = 1;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
insert into u values (3, 3, 'abc');
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
insert into u values (4, 4, 'abcd');
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
savepoint s;
insert into u values (1, 1);
rollback to s;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
savepoint s;
insert into u values (1, 1);
rollback to s;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
savepoint s;
insert into u values (7, null);
rollback to s;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
explain (costs off) update t set b = 1 where a = 1;
select v from p where k = 1;
commit;
--@ session C
begin isolation level repeatable read;
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update p set v = v + 1 where k = 1;
--@ session A
begin isolation level repeatable read;
select v from p where k = 1;
--@ session C
commit;
--@ session B
update q set v = v + 1 where k = 1;
--@ session A
update t set b = 1 where a = 1;
select v from p where k = 1;
commit;
