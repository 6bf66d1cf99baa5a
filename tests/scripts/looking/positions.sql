-- Positions in the WAL, transactions and snapshots, as functions tell of them.
create table t (a int);
select pg_current_wal_lsn() <= pg_current_wal_insert_lsn();
select pg_wal_lsn_diff('0/2000', '0/1000'), '0/2000'::pg_lsn - '0/1000', '0/20'::pg_lsn < '0/3';
select pg_walfile_name('0/1000000'), pg_walfile_name('1/FF000001');
begin;
select txid_current_if_assigned(), pg_current_xact_id_if_assigned();
insert into t values (1);
select txid_current_if_assigned() = txid_current(), pg_current_xact_id()::text = txid_current()::text;
select xmin::text = txid_current()::text, age(xmin) from t;
select txid_status(txid_current()), pg_xact_status(pg_current_xact_id());
commit;
select pg_snapshot_xmin(s) = pg_snapshot_xmax(s) from (select pg_current_snapshot() s) x;
select age(xmin) from t;
