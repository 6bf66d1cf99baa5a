-- Subtransactions that are over before their transaction: each has an id, and one that failed none where it changed nothing.
create table t1 (a int, c0 int);
insert into t1 values (2, 3), (90, 4);
begin;
do $$ begin for i in 1..30 loop begin update t1 set c0 = 10 / (i % 3) where a = 90; exception when division_by_zero then null; end; end loop; end $$;
savepoint s;
update t1 set c0 = 0 where a = 2;
release s;
select * from t1 order by a;
commit;
-- a child that goes with one parent and gets the default of another: the check of the default finds no row any more
create table pa (id int primary key, c int unique);
create table ch (id int primary key, p int default 1 references pa on delete set default, q int references pa (c) on delete cascade);
insert into pa select g, g from generate_series(1, 6) g;
insert into ch select g, 1 + g % 6, 1 + g % 5 from generate_series(1, 12) g;
delete from pa where id between 4 and 5;
delete from pa where id = 3;
select * from ch order by id;
