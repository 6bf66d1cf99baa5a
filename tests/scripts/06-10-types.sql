-- Operators between two types, and where they belong in the orders of indexes: each is looked up when it is first met, and how an index compares a key with a value of another type when
-- its scan begins. REPEATABLE READ prunes up to a newer horizon then.
--@ session D
create table p (k int primary key, v int, c text) with (fillfactor = 10);
insert into p select g, 0, repeat('x', 250) from generate_series(1, 5) g;
create table q (k int primary key, v int);
insert into q values (1, 0);
create table t (a int, b int, e bigint, c text, d varchar(20));
insert into t select g, g, g, 'x', 'y' from generate_series(1, 300) g;
create index on t (a);
create index on t (c);
create table n (a int, e bigint);
insert into n values (1, 1);
analyze t;
--@ session C
select v from p where k = 1;
--@ session B
update p set v = v + 1 where k = 1;
update q set v = v + 1 where k = 1;
--@ session A
select v from p where k = 1;
set enable_seqscan = off;
select a, b, e, c, d from t where a = 1;
select a, e, 1::bigint from n;
select 'x'::varchar;
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
select a from n where a = e;
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
select a from n where a = e;
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
select a from t where a = 7::bigint;
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
select a from t where a = 8::bigint;
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
select a from n where a < 7::bigint;
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
select b from t where a < 7::bigint;
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
select b from t where 7::bigint > a;
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
select b from t where b > 295::bigint;
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
select b from t where b > 295;
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
select b from t where a > 295;
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
select b from t where a <> 295;
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
select b from t where b <> 295;
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
select b from t where c = d;
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
select b from t where d = 'y' and a = 1;
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
select a from t where a in (1, 2);
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
select a from t where a in (1, 2);
select v from p where k = 1;
commit;
