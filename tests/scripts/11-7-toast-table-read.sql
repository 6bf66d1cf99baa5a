-- A TOAST table that is read as a table: its pages get hint bits and are pruned, as those of any other (ExecSeqScan, heap_page_prune_opt).
create table t (id int primary key, body text);
alter table t alter column body set storage external;
insert into t select g, repeat('abcdefgh', 500 * g) from generate_series(1, 4) g;
select reltoastrelid::regclass as toast from pg_class where relname = 't' \gset
select count(*), sum(length(chunk_data)) from :toast;
select chunk_seq, length(chunk_data), ctid from :toast;
update t set body = repeat('z', 9000) where id = 2;
delete from t where id = 3;
select chunk_seq, length(chunk_data), ctid from :toast;
begin;
delete from t where id = 4;
select count(*) from :toast;
rollback;
select count(*) from :toast where chunk_seq = 0;
explain (costs off) select * from :toast where chunk_id = 5;
delete from :toast;
select * from :toast for share;
vacuum t;
select chunk_seq, ctid from :toast;
