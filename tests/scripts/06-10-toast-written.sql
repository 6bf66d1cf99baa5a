-- A session that has opened a TOAST table to write a value into it need not open it to delete that value; another session that deletes it has to.
--@ session D
create table p (k int primary key, v int, c text) with (fillfactor = 10);
insert into p select g, 0, repeat('x', 250) from generate_series(1, 5) g;
create table q (k int primary key, v int);
insert into q values (1, 0);
create table t (a int primary key, b text);
alter table t alter column b set storage external;
insert into t select g, repeat('x', 5000) from generate_series(1, 4) g;
--@ session C
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update q set v = v + 1 where k = 1;
--@ session A
select v from p where k = 1;
select a from t where a = 1;
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
delete from t where a = 1;
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
select a, length(b) from t where a = 3;
select v from p where k = 1;
commit;
