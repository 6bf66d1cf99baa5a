-- Plans are kept (plancache.c): a statement of a PL/pgSQL loop, and the queries that foreign keys are checked with, are planned for the values given five times, then
-- once for any values, if that is cheaper. Without parameters the first plan stays.

-- the parameter decides nothing about the scan: the plan of the sixth turn stays, while the table grows
create table grown (a int primary key, b int, c text);
insert into grown values (0, 0, repeat('x', 900));
vacuum grown;
do $$ begin for i in 1..90 loop update grown set b = b + i where a = 0; insert into grown values (i, 0, repeat('x', 900)); commit; end loop; end $$;
-- no parameter at all: that of the first turn
create table first (a int primary key, b int, c text);
insert into first values (0, 0, repeat('x', 900));
vacuum first;
do $$ begin for i in 1..90 loop update first set b = b + 1 where a = 0; insert into first values (i, 0, repeat('x', 900)); commit; end loop; end $$;
-- a plan for any value reads the whole table, those for one value a few rows: it is never kept
create table few (a int primary key, b text);
insert into few select i * 7919 % 2003, repeat('y', 100) from generate_series(1, 2000) i;
analyze few;
update few set b = b || 'z';
do $$ begin for i in 1..9 loop perform count(b) from few where a <= i; commit; end loop; end $$;
-- the keys that others refer to: few when the plan was made
create table referred (a int primary key, b text);
create table referring (a int references referred);
insert into referred values (0, repeat('x', 900));
analyze referred;
do $$ begin for i in 1..90 loop insert into referred values (i, repeat('x', 900)); insert into referring values (i); commit; end loop; end $$;
-- VACUUM changes pg_class: counted anew
update referred set b = b || '.' where a < 20;
vacuum referred;
do $$ begin for i in 1..7 loop insert into referring values (i); commit; end loop; end $$;
update referred set b = b || '.' where a > 20;
insert into referring values (30);
select * from referring;
