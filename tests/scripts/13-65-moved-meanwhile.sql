-- Who waits for a row that is moved to another partition meanwhile cannot follow it: t_ctid leads nowhere.
create table p (id int primary key, v text) partition by range (id);
create table p1 partition of p for values from (0) to (10);
create table p2 partition of p for values from (10) to (20);
insert into p select g, 'v' || g from generate_series(1, 9) g;
--@ session a
begin;
update p set id = 15 where id = 5;
--@ session b
update p set v = 'b' where id = 5;
--@ session a
commit;
--@ session b
select tableoid::regclass, ctid, * from p where v in ('b', 'v5');
--@ session a
begin;
update p set id = 16 where id = 6;
--@ session b
delete from p1 where id = 6;
--@ session a
rollback;
--@ session b
select count(*) from p;
--@ session a
begin;
update p set id = 17 where id = 7;
--@ session b
begin isolation level repeatable read;
select count(*) from p;
update p set v = 'b' where id = 7;
--@ session a
commit;
--@ session b
rollback;
select * from p where id > 10;
