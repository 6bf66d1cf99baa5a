-- What SIREAD locks the scans take that the planner chooses: of empty and small tables, bitmaps, an index only, either end of an index; and checks of foreign keys, ON CONFLICT.
create table e (a int primary key, b int);
create table t (a int primary key, b int, c int);
create index on t (b);
insert into t select g, g % 50, g from generate_series(1, 2000) g;
vacuum t;
analyze t;
create table p (a int primary key);
create table f (a int references p, b int);
insert into p select generate_series(1, 300);
insert into f select g, 1 from generate_series(1, 10) g;
--@ session A
begin isolation level serializable;
select * from e where a = 1;
--@ session B
begin isolation level serializable;
select * from e where a = 2;
insert into e values (1, 1);
--@ session A
insert into e values (2, 2);
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select count(*) from t where b = 7;
--@ session B
begin isolation level serializable;
select count(*) from t where b = 8;
update t set b = 8 where a = 7;
--@ session A
update t set b = 7 where a = 8;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select b from t where b = 20 order by b limit 1;
select min(a) from t;
select max(a) from t;
--@ session B
begin isolation level serializable;
select max(a) from t;
insert into t values (2001, 0, 0);
--@ session A
insert into t values (2002, 0, 0);
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select * from t where a > 1500 order by a limit 3;
--@ session B
begin isolation level serializable;
select * from t where a < 500 order by a desc limit 3;
update t set c = 0 where a = 1502;
--@ session A
update t set c = 0 where a = 498;
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
insert into f values (20, 1);
--@ session B
begin isolation level serializable;
select * from f where a = 5;
delete from p where a = 21;
--@ session A
commit;
--@ session B
commit;
--@ session A
begin isolation level serializable;
select * from p where a = 250;
insert into e values (1, 5) on conflict (a) do update set b = 9;
--@ session B
begin isolation level serializable;
select * from e where a = 3;
insert into p values (500);
insert into p values (250) on conflict do nothing;
delete from p where a = 250;
--@ session A
insert into e values (3, 3) on conflict do nothing;
commit;
--@ session B
commit;
select count(*) from e;
set enable_seqscan = off;
begin isolation level serializable;
select a from t where a between 100 and 120;
--@ session A
begin isolation level serializable;
update t set c = 1 where a = 300;
select * from e;
--@ session B
insert into e values (77, 1);
commit;
--@ session A
update t set c = 3 where a = 110;
commit;
delete from t where b = 3;
vacuum t;
