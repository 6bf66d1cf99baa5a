-- An UPDATE that waited computes its new values again only where the row has changed: nextval tells how often.
create table t (id serial, a int, b int, k int);
insert into t (a, b) values (1, 1), (2, 2), (3, 3);
begin;
update t set b = 10 where a = 1;
--@ session B
update t set k = nextval('t_id_seq') where a = 1;
--@ session A
rollback;
select nextval('t_id_seq');
begin;
update t set b = 11 where a = 1;
--@ session B
update t set k = nextval('t_id_seq') where a = 1;
--@ session A
commit;
select nextval('t_id_seq');
begin;
select a from t where a = 2 for update;
--@ session B
update t set k = nextval('t_id_seq') where a < 4;
--@ session A
commit;
select nextval('t_id_seq');
begin;
delete from t where a = 3;
--@ session B
update t set k = nextval('t_id_seq');
--@ session A
commit;
select nextval('t_id_seq');
begin;
update t set a = 5 where a = 2;
--@ session B
update t set k = nextval('t_id_seq') where a = 2;
--@ session A
commit;
insert into t (a) values (6);
select * from t;
