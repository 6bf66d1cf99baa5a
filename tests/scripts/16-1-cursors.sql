-- A cursor reads a few rows at a time, with the snapshot that it was declared with, which holds back what may be pruned; the page that its scan stands on stays pinned, and is not pruned.
--@ session A
create table t (id int primary key, v int, f char(700)) with (fillfactor = 90);
insert into t select g, 0, 'f' from generate_series(1, 30) g;
create index t_v on t (v);
declare early cursor for select * from t;
begin;
declare c cursor for select id, v from t;
fetch c;
fetch 3 from c;
fetch next from c;
fetch forward 2 from c;
update t set v = 1 where id < 8;
move 2 in c;
fetch forward from c;
--@ session B
update t set v = 2 where id between 12 and 15;
update t set v = 3 where id between 12 and 15;
select count(*) from t where v > 0;
--@ session A
fetch all from c;
fetch 1 from c;
close c;
close c;
rollback;
--@ session B
select count(*) from t where v > 0;
--@ session A
begin;
declare c cursor for select id from t where id > 3 order by id limit 9;
declare c cursor for select 1;
rollback;
begin;
declare c no scroll cursor without hold for select id from t where v = 3;
declare d insensitive cursor for select id, v from t order by v desc, id;
fetch 2 from c;
fetch 2 from d;
savepoint s;
declare e cursor for select 1 from t;
fetch 1 from e;
rollback to s;
fetch 1 from d;
fetch 1 from e;
rollback to s;
move forward all in c;
close all;
commit;
begin isolation level repeatable read;
declare c cursor for select v from t where id = 12;
--@ session B
update t set v = 4 where id = 12;
--@ session A
fetch all from c;
commit;
fetch 1 from c;
--@ session B
begin;
declare c cursor for select id from t;
fetch 1 from c;
--@ session A
update t set v = v + 1 where id < 3;
update t set v = v + 1 where id < 3;
update t set v = v + 1 where id < 3;
update t set v = v + 1 where id < 3;
--@ session B
fetch 5 from c;
select count(*) from t where v > 0;
close c;
select count(*) from t where v > 0;
commit;
--@ session A
vacuum t;
