-- The table that a foreign key leads to is opened and locked by the check itself: when the statement's rows are done, also for a key that is NULL.
create table p (a int primary key, b int);
create table c (a int primary key, b int not null, p int references p);
insert into p select g, g from generate_series(1, 20) g;
insert into c select g, g, g from generate_series(1, 5) g;
-- a statement that fails before has not met it: B and C learn how large it is at different times
--@ session B
insert into c (a) values (6);
--@ session C
insert into c values (6, 6, null);
--@ session D
update c set p = null where a = 5;
--@ session A
begin;
create index p_b on p (b);
rollback;
create index p_b on p (b);
insert into p select g, g from generate_series(21, 3000) g;
--@ session B
explain (costs off) select b from p where b between 5 and 46;
--@ session C
explain (costs off) select b from p where b between 5 and 46;
--@ session D
explain (costs off) select b from p where b between 5 and 46;
-- another session holds it: the rows are there when the check waits
--@ session A
begin;
alter table p add column d int;
--@ session B
insert into c values (7, 7, 7), (8, 8, null);
--@ session A
select a, p from c;
rollback;
begin;
alter table p add column d int;
--@ session B
insert into c values (9, 9, null);
--@ session A
rollback;
begin;
alter table p add column d int;
--@ session B
begin;
update c set p = null where a = 1;
update c set p = 3 where a = 1;
--@ session A
rollback;
--@ session B
commit;
-- the check of a key that goes looks at the table that refers
--@ session A
begin;
alter table c add column d int;
--@ session B
delete from p where a = 20;
--@ session A
rollback;
begin;
alter table c add column d int;
--@ session B
update p set a = 5000 where a = 2;
--@ session A
rollback;
-- indexes of it are locked with it
--@ session B
begin;
insert into c values (20, 20, 18);
--@ session C
reindex index p_b;
--@ session B
commit;
-- it stands behind whoever waits for the table, unless that waits for its own session
--@ session B
begin;
insert into p values (6000, 6000);
--@ session A
drop index p_b;
--@ session B
insert into c values (21, 21, null);
--@ session C
insert into c values (22, 22, null);
--@ session B
rollback;
-- two sessions, each with what the other wants
--@ session B
begin;
alter table c add column d int;
--@ session A
begin;
insert into p values (7000, 7000);
delete from p where a = 17;
--@ session B
alter table p add column d int;
--@ session A
rollback;
--@ session B
commit;
copy c (a, b, p) from stdin;
30	30	\N
31	31	18
\.
select count(*) from c;
