-- A sequence is a relation that a session opens for the first time with nextval, and functions are looked up by name: a newer horizon for REPEATABLE READ. What it knows it does
-- not read again.
--@ session D
create table p (k int primary key, v int, c text) with (fillfactor = 10);
insert into p select g, 0, repeat('x', 250) from generate_series(1, 5) g;
create table q (k int primary key, v int);
insert into q values (1, 0);
create sequence s;
create sequence r;
create table t (a serial, b int);
--@ session C
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update q set v = v + 1 where k = 1;
--@ session A
select v from p where k = 1;
select a from t;
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
select nextval('s');
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
select nextval('s');
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
select currval('s');
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
select currval('s');
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
select nextval('r');
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
select setval('r', 20);
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
select setval('r', 30);
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
select lastval();
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
insert into t (b) values (1);
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
insert into t (b) values (2);
select v from p where k = 1;
commit;
