-- Found by the random scripts: page t/main:: tuple , t_infomask.
create table t0 (a int primary key, c0 int, c1 text) with (fillfactor = 80);
insert into t0 (a, c0) select g, 6 from generate_series(0, 76, 4) g;
--@ session C
begin;
create index y21 on t0 (c0);
rollback;
--@ session A
do $$ begin for i in 1..35 loop update t0 set c1 = 'aaaaaaaaaaaaaaaaaaaaaaaaaaa' where a = 28; end loop; end $$;
alter table t0 add column x54 text default 'abc';
update t0 set x54 = null where a = 0;
