-- A TOAST table read as a table, by the name that its OID makes.
create table t (id int, body text);
alter table t alter column body set storage external;
insert into t select g, repeat('abcdefgh', 500 * g) from generate_series(1, 4) g;
select reltoastrelid::regclass as toast from pg_class where relname = 't' \gset
select dense_rank() over (order by chunk_id) as value, chunk_seq, length(chunk_data) from :toast order by 1, 2;
select count(*), count(distinct chunk_id), sum(length(chunk_data)) from :toast;
select chunk_data is not null, length(chunk_data) from :toast where chunk_seq = 1 limit 1;
select chunk_seq, ctid from :toast where chunk_seq < 2 order by ctid;
update t set body = repeat('z', 9000) where id = 2;
delete from t where id = 3;
select chunk_seq, length(chunk_data), ctid from :toast order by ctid;
vacuum t;
select count(*) from :toast;
explain (costs off) select * from :toast where chunk_id = 5;
insert into :toast values (1, 1, 'x');
delete from :toast;
update :toast set chunk_seq = 1;
select * from :toast for update;
select attname, attnum, atttypid from pg_attribute where attrelid = (select reltoastrelid from pg_class where relname = 't') and attnum > 0 order by attnum;
