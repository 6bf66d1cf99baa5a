-- heap_wal 7.9: VACUUM, and ANALYZE outside of a transaction block, note that a table has no index, no foreign key any more, and is not referred to
-- (`vac_update_relstats`). That is a change of pg_class, for which all sessions forget their target blocks; and the next trigger is the first again
create table p (a int primary key, b text) with (fillfactor = 20);
create table r (a int, p int references p);
insert into p select g, repeat('x', 100) from generate_series(1, 100) g;
delete from p where a < 20;
vacuum p;
vacuum p;
insert into p values (201, 'y');
drop table r;
insert into p values (202, repeat('y', 1000));
-- nothing but relhastriggers is new
begin;
analyze p;
commit;
insert into p values (203, 'y');
vacuum p;
delete from p where a = 203;
insert into p values (204, 'y');
begin;
create table r (a int, p int references p);
insert into r values (1, 201);
insert into p values (205, 'y');
update p set b = 'z' where a = 205;
commit;
drop table r;
begin;
create table r (a int, p int references p);
insert into p values (206, 'y');
rollback;
-- an index that is gone
create table i (a int, b text);
create index on i (a);
insert into i select g, repeat('x', 700) from generate_series(1, 30) g;
delete from i where a in (3, 4);
vacuum i;
vacuum i;
insert into i values (101, 'y');
drop index i_a_idx;
insert into i values (102, repeat('y', 2000));
--@ session B
insert into i values (103, 'y');
--@ session A
analyze i;
insert into i values (104, 'y');
analyze i;
insert into i values (105, 'y');
vacuum i;
insert into i values (106, 'y');
--@ session B
insert into i values (107, 'y');
-- what is changed in place goes with the row that it is changed in
create table s (a int);
insert into s select generate_series(1, 1000);
begin;
alter table s set (fillfactor = 50);
analyze s;
rollback;
create index on s (a);
update s set a = -1 where a < 10;
select * from s where a = 5;
begin;
insert into s values (3);
alter table s set (fillfactor = 60);
create index s_b on s (a);
rollback;
vacuum s;
insert into s values (3);
