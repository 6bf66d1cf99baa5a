-- Deferrable keys of two sessions: a duplicate of another transaction is waited for when the key is checked again, not when it is inserted.
create table u (id int primary key deferrable initially deferred, n int);
insert into u values (1, 1), (2, 2);
--@ session a
begin;
insert into u values (5, 1);
--@ session b
begin;
insert into u values (5, 2);
commit;
--@ session a
commit;
select * from u order by id;
begin;
insert into u values (6, 1);
--@ session b
insert into u values (6, 3);
--@ session a
rollback;
select ctid, * from u order by id;
--@ session b
select ctid, * from u order by id;
