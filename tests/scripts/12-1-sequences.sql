-- Sequences: a record for every 32 values; serial and identity columns.
create table t (a serial, b int generated always as identity, c text);
select nextval('t_a_seq');
select nextval('t_a_seq') from generate_series(1, 40) g;
insert into t (c) values ('x'), ('y');
insert into t (c) select 'z' from generate_series(1, 40) g;
checkpoint;
insert into t (c) values ('after');
-- in a subtransaction nextval and txid_current give the transaction an id, but not the subtransaction (GetTopTransactionId)
checkpoint;
begin;
savepoint s;
select nextval('t_a_seq');
insert into t (c) values ('in the subtransaction');
release s;
commit;
begin;
savepoint s;
select txid_current() > 0;
rollback to s;
insert into t (c) values ('in the transaction');
commit;
