-- SIREAD locks: a scan by ctid locks the rows that it fetches, so that write skew fails. A scan between two places (from 14 on) locks neither the table nor its rows, and the same goes unnoticed.
create table t (id int, b int);
insert into t values (1, 0), (2, 0);
begin isolation level serializable;
select * from t where ctid = '(0,1)';
--@ session B
begin isolation level serializable;
select * from t where ctid = '(0,2)';
update t set b = 1 where ctid = '(0,1)';
commit;
--@ session A
update t set b = 1 where ctid = '(0,2)';
commit;
truncate t;
insert into t values (1, 0), (2, 0);
begin isolation level serializable;
select * from t where ctid >= '(0,1)' and ctid < '(0,2)';
--@ session B
begin isolation level serializable;
select * from t where ctid >= '(0,2)' and ctid < '(0,9)';
update t set b = 1 where ctid = '(0,1)';
commit;
--@ session A
update t set b = 1 where ctid = '(0,2)';
commit;
