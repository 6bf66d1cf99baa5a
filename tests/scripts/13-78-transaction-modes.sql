-- SET TRANSACTION after a query or a savepoint, DEFERRABLE, FOR UPDATE OF.
create table t (a int primary key); insert into t values (1), (2), (3);
begin; select * from t; set transaction isolation level repeatable read; rollback;
begin; set transaction isolation level repeatable read; select * from t; set transaction isolation level repeatable read; commit;
begin read only; select 1; set transaction read write; rollback;
begin; savepoint a; set transaction isolation level serializable; rollback;
begin transaction isolation level serializable read only deferrable; select * from t; insert into t values (9); rollback;
select * from t order by a limit 2 for no key update of t skip locked;
select * from t x for update of t;
select * from t x for share of x;
begin; insert into t values (7); set transaction isolation level serializable; rollback;
begin; show transaction_isolation; set transaction isolation level serializable; show transaction_isolation; commit;
