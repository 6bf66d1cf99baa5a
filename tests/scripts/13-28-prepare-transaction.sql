-- PREPARE TRANSACTION is refused by a server without max_prepared_transactions, and ends the block all the same.
create table t (a int);
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
