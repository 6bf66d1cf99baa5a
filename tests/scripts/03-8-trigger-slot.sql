-- The triggers of foreign keys are given the version that was replaced or deleted last: it stays in a slot, and its page pinned, until the statement is over (ri_TrigOldSlot). So the page is not pruned when an index leads back to it.
create table t (a int primary key, c int, d text) with (fillfactor = 90);
create table r (a int, t int references t);
insert into t (a) select g from generate_series(3, 79, 4) g;
insert into t values (2, 7, repeat('2', 400)), (10, 7, repeat('z', 200)), (1, 0, 'one');
do $$ begin for i in 1..32 loop update t set c = c + i where a = 10; commit; end loop; end $$;
do $$ begin for i in 1..26 loop update t set c = c + i where a = 1; commit; end loop; end $$;
insert into t (a, c, d) select g, 24, repeat('a', 190 * (g / 4 % 5)) from generate_series(0, 72, 4) g;
insert into t (a, c) values (76, 8), (64, 1), (56, 1) on conflict (a) do update set c = excluded.c;
insert into t (a, c) values (64, 2), (56, 2), (52, 2), (48, 1) on conflict (a) do update set c = excluded.c;
-- rows of an index that leads to and fro; what is deleted; the table that refers
create table p (a int primary key, c int, d text);
create table q (a int primary key, p int references p, d text);
create index p_c on p (c);
create index q_p on q (p);
insert into p select g, g % 2, repeat('p', 300) from generate_series(1, 60) g;
insert into q select g, g % 60 + 1, repeat('q', 300) from generate_series(1, 60) g;
update p set d = repeat('x', 290) where a % 7 = 0;
update q set d = repeat('x', 290) where a % 7 = 0;
set enable_seqscan = off;
set enable_bitmapscan = off;
update p set d = repeat('y', 280) where c = 1 and a % 3 > 0;
update q set d = repeat('y', 280) where p between 5 and 50 and a % 3 > 0;
delete from q where p between 5 and 50 and a % 5 > 1;
delete from p where c = 1 and a between 52 and 59;
delete from q where a > 50;
delete from p where a > 52;
insert into p select g, 1, repeat('n', 300) from generate_series(1, 60, 7) g on conflict (a) do update set d = excluded.d;
insert into q select g, 1, repeat('n', 300) from generate_series(60, 1, -7) g on conflict (a) do update set d = excluded.d;
-- a table that refers to itself: its pages are looked at when the rows are done
create table s (a int primary key, s int references s, d text);
insert into s select g, case when g > 1 then g - 1 end, repeat('s', 300) from generate_series(1, 50) g;
update s set d = repeat('t', 300) where a % 3 = 0;
update s set s = 1 where a % 4 = 0;
delete from s where a > 48;
update s set s = a, d = 'u' where a in (5, 30, 6, 31);
