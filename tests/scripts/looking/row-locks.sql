-- pgrowlocks: who has locked which rows, and how.
create extension pgrowlocks;
create table t (id int primary key, v int);
insert into t select g, g from generate_series(1, 10) g;
select locked_row, multi from pgrowlocks('t');
begin;
select * from t where id = 1 for update;
select * from t where id = 2 for share;
select * from t where id = 3 for no key update;
select * from t where id = 4 for key share;
savepoint s;
select * from t where id = 4 for update;
update t set v = 0 where id = 5;
delete from t where id = 6;
update t set id = 70 where id = 7;
insert into t values (11, 1);
select * from t where id = 11 for update;
savepoint s2;
update t set v = 1 where id = 3;
select locked_row, multi, array_length(xids, 1), modes from pgrowlocks('t');
--@ session B
select locked_row, multi, modes from pgrowlocks('t') where not multi;
begin;
select * from t where id = 2 for key share;
select locked_row, multi, modes, locker <> '0'::xid from pgrowlocks('public.t') where locked_row = '(0,2)';
commit;
--@ session A
select count(*) as locked, array_agg(distinct modes::text) from pgrowlocks('t');
rollback;
select modes from pgrowlocks('t');
select modes from pgrowlocks('nosuch');
select modes from pgrowlocks('t_pkey');
create table p (a int) partition by list (a);
select modes from pgrowlocks('p');
