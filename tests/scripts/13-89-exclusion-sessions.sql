-- Exclusion constraints of two sessions: a row of another transaction that conflicts is waited for, after the own one has its entry.
create table t (id int, r int4range, exclude using gist (r with &&));
insert into t values (1, '[1,5)');
--@ session a
begin;
insert into t values (2, '[10,15)');
--@ session b
insert into t values (3, '[12,17)');
--@ session a
rollback;
begin;
delete from t where id = 1;
--@ session b
insert into t values (4, '[4,6)');
--@ session a
commit;
begin;
insert into t values (5, '[30,40)');
--@ session b
insert into t values (6, '[35,36)');
--@ session a
commit;
select * from t order by id;
begin;
insert into t values (7, '[50,60)');
--@ session b
insert into t values (8, '[55,56)') on conflict do nothing;
--@ session a
commit;
--@ session b
select ctid, * from t order by id;
vacuum t;
