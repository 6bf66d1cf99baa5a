-- An error in mid-statement: what was written before it stays on the page, of an aborted transaction.
create table t (a int, b int);
insert into t select g, 10 / (5 - g) from generate_series(1, 9) g;
insert into t values (1, 1);
begin;
insert into t values (2, 2);
select 1 / 0;
insert into t values (3, 3);
commit;
-- status: ROLLBACK
select * from t;
update t set b = 1 / (a - 1);
select count(*) from t;
vacuum t;
