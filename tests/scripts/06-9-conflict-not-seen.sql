-- ON CONFLICT finds a row that the transaction's snapshot does not show: REPEATABLE READ and SERIALIZABLE fail, unless the row is their own (ExecCheckTupleVisible).
create table t (a int primary key, b int);
insert into t values (1, 1), (2, 2);
--@ session B
begin isolation level repeatable read;
select * from t where a = 1;
--@ session A
insert into t values (3, 3);
update t set b = 20 where a = 2;
--@ session B
insert into t values (1, 0) on conflict do nothing;
insert into t values (4, 4), (4, 5) on conflict do nothing;
savepoint s;
insert into t values (5, 5), (3, 0), (6, 6) on conflict do nothing;
rollback to s;
insert into t values (2, 0) on conflict (a) do nothing;
rollback to s;
insert into t values (3, 0) on conflict (a) do update set b = t.b + 1;
rollback to s;
insert into t values (2, 0) on conflict (a) do update set b = t.b + 1;
rollback to s;
insert into t values (1, 0) on conflict (a) do update set b = t.b + 1;
commit;
begin isolation level serializable;
select count(*) from t;
--@ session A
insert into t values (7, 7);
delete from t where a = 3;
--@ session B
insert into t values (3, 1) on conflict do nothing;
insert into t values (7, 0) on conflict do nothing;
rollback;
begin;
select count(*) from t;
--@ session A
insert into t values (8, 8);
--@ session B
insert into t values (8, 0) on conflict do nothing;
insert into t values (8, 0) on conflict (a) do update set b = t.b + 1;
commit;
select * from t;
