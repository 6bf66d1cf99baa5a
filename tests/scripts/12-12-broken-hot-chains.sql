-- an index whose table has HOT chains that are broken for it (`indcheckxmin`): a snapshot to which its transaction may still run does without it. ON CONFLICT
-- takes it all the same, REINDEX finds no broken chain any more
set enable_seqscan = off;
set enable_bitmapscan = off;
create table t (a int primary key, b int, c int, d text) with (fillfactor = 50);
insert into t select g, g, g, repeat('d', 200) from generate_series(1, 200) g;
create table other (a int);
begin;
update t set b = b + 1000 where a < 20;
create index t_b on t (b);
select a, b from t where b = 1005;
update t set d = 'd' where b = 100;
create unique index t_c on t (c);
insert into t values (301, 301, 301) on conflict (c) do nothing;
insert into t values (302, 302, 301) on conflict (c) do nothing;
select a from t where c = 150;
commit;
update t set d = 'e' where a in (150, 170);
select a, b from t where b = 1006;
select a from t where c = 150;
-- another transaction that is older than the index
update t set b = b + 1000 where a between 60 and 70;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
begin;
insert into other values (1);
--@ session A
begin;
drop index t_b;
update t set d = 'f' where a between 30 and 40;
create index t_b on t (b);
commit;
update t set d = 'g' where a = 180;
select a, b from t where b = 1007;
do $$ begin for i in 1..7 loop perform a from t where b = 1000 + i; update t set d = 'h' where b = 40 + i; commit; end loop; end $$;
--@ session B
commit;
--@ session A
select a, b from t where b = 1008;
-- a snapshot that is older, of a transaction without an xid
--@ session B
begin isolation level repeatable read;
select count(*) from other;
--@ session A
update t set d = 'i' where a between 100 and 110;
drop index t_b;
create index t_b on t (b);
select a, b from t where b = 1009;
update t set d = 'j' where a between 120 and 125;
--@ session B
select a, b from t where b = 1010;
--@ session A
reindex index t_b;
--@ session B
select a, b from t where b = 1011;
commit;
--@ session A
reindex index t_b;
begin;
select a, b from t where b = 1012;
commit;
begin;
update t set d = 'k' where a = 1;
drop index t_b;
create index t_b on t (b);
truncate t;
insert into t select g, g, g, 'x' from generate_series(1, 100) g;
select a from t where b = 50;
commit;
select a from t where b = 50;
