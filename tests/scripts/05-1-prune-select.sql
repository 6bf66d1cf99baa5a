-- heap_wal 5.1 to 5.4: a SELECT prunes a page that is nearly full; not one with room, not for rows that another session may see.
create table t (a int, b char(800));
insert into t select g, 'x' from generate_series(1, 9) g;
delete from t where a = 2;
select count(*) from t;
insert into t values (10, 'y');
--@ session B
begin isolation level repeatable read;
select count(*) from t;
--@ session A
delete from t where a = 3;
update t set b = 'z' where a = 4;
select count(*) from t;
--@ session B
commit;
--@ session A
select count(*) from t;
insert into t values (11, 'v');
select count(*) from t;
