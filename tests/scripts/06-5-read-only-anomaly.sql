-- The read-only anomaly, and READ ONLY transactions whose snapshot is safe, or becomes so (SxactIsROSafe).
create table t (a int primary key, b int);
insert into t values (1, 0), (2, 0);
begin isolation level serializable;
select * from t;
--@ session B
begin isolation level serializable;
update t set b = 20 where a = 2;
commit;
--@ session C
begin isolation level serializable read only;
select * from t;
commit;
--@ session A
update t set b = -11 where a = 1;
commit;
begin isolation level serializable;
select * from t;
--@ session B
begin isolation level serializable;
update t set b = 21 where a = 2;
commit;
--@ session A
update t set b = -12 where a = 1;
commit;
begin isolation level serializable;
select * from t;
--@ session B
begin isolation level serializable;
update t set b = 22 where a = 2;
commit;
--@ session C
begin isolation level serializable read only;
--@ session A
update t set b = -13 where a = 1;
commit;
--@ session C
select * from t;
commit;
--@ session A
begin isolation level serializable;
select * from t;
--@ session B
begin isolation level serializable;
update t set b = 23 where a = 2;
commit;
--@ session C
begin isolation level serializable read only;
select * from t where a = 5;
--@ session A
update t set b = -14 where a = 1;
commit;
--@ session C
select * from t;
commit;
--@ session A
begin isolation level serializable;
select * from t;
--@ session C
begin isolation level serializable read only;
select * from t where a = 1;
--@ session A
update t set b = 3 where a = 1;
commit;
--@ session C
select * from t;
select * from t;
commit;
begin isolation level serializable;
select * from t;
--@ session A
begin isolation level serializable;
update t set b = 9 where a = 2;
commit;
--@ session B
begin isolation level serializable;
select * from t;
commit;
--@ session C
update t set b = 9 where a = 1;
commit;
