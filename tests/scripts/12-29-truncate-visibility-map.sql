-- pg_truncate_visibility_map (contrib/pg_visibility): a TRUNCATE record of the map alone, after the lock that standbys are told of.
create extension pg_visibility;
create table t (a int primary key, b text) with (autovacuum_enabled = off);
insert into t select g, 'x' from generate_series(1, 300) g;
vacuum t;
select pg_truncate_visibility_map('t');
vacuum t;
begin;
update t set b = 'y' where a = 1;
select pg_truncate_visibility_map('t');
update t set b = 'z' where a = 2;
commit;
vacuum t;
create unlogged table u (a int);
insert into u select generate_series(1, 300);
vacuum u;
select pg_truncate_visibility_map('u');
select pg_truncate_visibility_map('t_pkey');
