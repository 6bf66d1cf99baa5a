-- What COMMIT and ABORT say of their transaction: files that go, the newest first (smgrGetPendingDeletes); statistics of relations, from 15 on, in the order in which
-- they came (pgstat_get_transactional_drops); its subtransactions; and whether standbys hold locks for it.
create table t (a serial primary key, b int generated always as identity, c text unique);
create index t_bc on t (b, c);
insert into t (c) values ('x'), ('y');
-- an index before the sequences and the TOAST table, what is newer before what is older
begin;
drop table t;
savepoint s;
create table t (a int primary key, c text);
insert into t values (1, 'one');
savepoint s2;
truncate t;
rollback to s2;
create index t_c on t (c);
create unlogged table u (a int, b serial, c text);
create table v (a int);
release s2;
drop table v;
truncate t;
release s;
commit;
begin;
create table w (a int primary key, b text);
savepoint s;
truncate w;
rollback to s;
insert into w values (1, 'x');
rollback;
begin;
drop index t_pkey;
select count(*) from t;
rollback;
-- locks of a subtransaction that aborts: the transaction has the bit
begin;
insert into t values (2, 'two');
savepoint s;
truncate t;
rollback to s;
insert into t values (3, 'three');
commit;
-- weaker locks are no affair of standbys
alter table t set (fillfactor = 70);
create table r (a int references t (a), b text);
alter table r drop column b;
truncate r, t;
reindex table t;
drop table t cascade;
drop table r, u;
