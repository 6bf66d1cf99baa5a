-- REINDEX gives each index a new file and builds it from the rows of its table: live ones, and those that an older snapshot may still see.
create table t (a int primary key, b text, c int unique, d text) with (fillfactor = 70);
insert into t select g, 'b' || g % 10, -g, null from generate_series(1, 600) g;
create table o (a int);
create index t_b on t (b);
create index t_part on t (lower(b)) where a > 300;
insert into t select g, 'b' || g % 10, -g, repeat(md5(g::text), 300) from generate_series(601, 604) g;
update t set c = c - 1000 where a % 3 = 0;
delete from t where a % 5 = 0;
select count(*) from t where a = 17;
reindex index t_b;
select b from t where b = 'b7' and a < 30;
reindex table t;
select length(d) from t where a = 601;
-- in a transaction: command ids, rows of its own that are dead, what an abort leaves
begin;
update t set b = 'x' where a < 20;
reindex table t;
insert into t values (1000, 'y', 1000);
savepoint s;
reindex index t_pkey;
insert into t values (1001, 'z', 1001);
rollback to s;
insert into t values (1002, 'z', 1002);
commit;
begin;
delete from t where a < 50;
reindex index t_c_key;
rollback;
select count(*) from t where c = -17;
--@ session B
begin isolation level repeatable read;
select count(*) from o;
--@ session A
delete from t where a = 1002;
insert into t values (1002, 'again', 1002);
update t set d = d || 'x' where a = 601;
reindex table t;
--@ session B
select b from t where a = 1002;
commit;
--@ session A
vacuum t;
reindex table t;
truncate t;
reindex table t;
insert into t values (1, 'one', 1);
-- one that cannot be built
create table u (a int, b int);
insert into u values (1, 1), (2, 2), (2, 3), (null, 4), (null, 5);
create unique index u_a on u (a);
select * from u;
delete from u where b = 3;
create unique index u_a on u (a);
reindex table u;
reindex index nosuch;
reindex table nosuch;
reindex table u_a;
create table n (a int);
reindex table n;
create unlogged table ul (a int primary key, b text);
insert into ul select g, 'x' from generate_series(1, 50) g;
reindex table ul;
insert into ul values (51, 'y');
