-- PREPARE TRANSACTION outside of a block ends nothing; within one a server without max_prepared_transactions refuses it.
create table t (a int);
prepare transaction 'x';
begin;
insert into t values (1);
prepare transaction 'x';
select 1;
rollback;
commit prepared 'x';
rollback prepared 'nosuch';
begin;
commit prepared 'x';
rollback;
insert into t values (2);
select * from t;
