-- A TOAST table and its index are relations that a session opens where it reads or writes the first value stored there: it reads the catalog for them, in the middle of the
-- statement, and REPEATABLE READ prunes up to a newer horizon from then on.
--@ session D
create table p (k int primary key, v int, c text) with (fillfactor = 10);
insert into p select g, 0, repeat('x', 250) from generate_series(1, 5) g;
create table q (k int primary key, v int);
insert into q values (1, 0);
create table t (a int primary key, b text);
alter table t alter column b set storage external;
insert into t select g, repeat('x', 5000) from generate_series(1, 4) g;
create table u (a int primary key, b text);
alter table u alter column b set storage external;
--@ session C
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update q set v = v + 1 where k = 1;
--@ session A
select v from p where k = 1;
select a, length('x') from t where a = 1;
select a from u where a = 1;
insert into u values (0, 'x');
select repeat('y', 2);
delete from u where a = 0;
delete from t where a = 9;
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
select a from t where a = 1;
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
select a, length(b) from t where a = 1;
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
select a, length(b) from t where a = 2;
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
insert into u values (1, 'x');
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
insert into u values (2, repeat('y', 5000));
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
insert into u values (3, repeat('y', 5000));
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
delete from u where a = 2;
select v from p where k = 1;
commit;
