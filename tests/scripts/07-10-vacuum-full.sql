-- VACUUM FULL writes a table anew: what somebody may still see is copied with its transactions, old ones frozen, t_ctid put right; values in the TOAST table keep their numbers; indexes are built anew.
create table t (a int primary key, b text, c int) with (fillfactor = 80);
create index t_c on t (c);
insert into t select g, repeat('x', g % 300), g % 7 from generate_series(1, 500) g;
update t set c = c + 1 where a % 3 = 0;
update t set b = 'short' where a % 5 = 0;
delete from t where a % 4 = 0;
select * from t where a = 7 for update;
vacuum full t;
select count(*) from t where c = 3;
update t set c = 9 where a < 20;
insert into t values (1001, 'y', 1);
vacuum t;
-- values out of line, compressed ones, and those that two versions of a row share
create table w (a int primary key, b text, c text, d int);
insert into w select g, repeat(md5(g::text), 10 + 100 * (g % 5)), null, g from generate_series(1, 40) g;
insert into w select 100, string_agg(md5(g::text), ''), 'z', 1 from generate_series(1, 200) g;
insert into w select 101, string_agg(md5(g::text), ''), string_agg(md5((-g)::text), ''), 1 from generate_series(1, 300) g;
update w set d = d + 1 where a % 2 = 0 or a > 99;
delete from w where a % 10 = 3;
vacuum full w;
select length(b) from w;
update w set b = b || 'more' where a = 101;
vacuum full w;
vacuum w;
-- a snapshot that is held: versions that it sees stay, and lead to each other
create table o (a int);
insert into o values (1), (2);
--@ session B
begin isolation level repeatable read;
select * from o;
--@ session A
update t set b = 'new' where a between 100 and 140;
update t set b = 'newer' where a between 120 and 130;
delete from t where a between 200 and 220;
update w set d = 0 where a = 100;
update w set d = 1 where a = 100;
delete from w where a = 101;
vacuum full t;
vacuum full w;
select count(*) from t;
--@ session B
commit;
--@ session A
vacuum (full, analyze) t, w;
select * from t where c = 5;
-- columns that came later, and that are gone; no rows; no pages; without indexes
alter table t add column d int default 5;
alter table t drop column b;
insert into t values (2000, 1, 6);
vacuum full t;
select * from t where a = 2000;
insert into t values (2001, 1, 7);
create table e (a int, b text);
vacuum full e;
insert into e values (1, repeat('e', 9000));
delete from e;
vacuum full e;
insert into e select g, 'e' from generate_series(1, 3000) g;
vacuum full freeze e;
vacuum full e;
create unlogged table u (a int primary key, b text);
insert into u select g, repeat(md5(g::text), 100) from generate_series(1, 50) g;
delete from u where a > 40;
vacuum full u;
insert into u values (60, 'u');
begin;
vacuum full t;
rollback;
select count(*) from t;
-- it waits for whoever has the table, with the snapshot that it took before
begin;
update t set c = 1 where a = 1;
--@ session B
vacuum full t;
--@ session A
commit;
select * from t where a = 1;
vacuum full t, w;
select count(*) from w;
