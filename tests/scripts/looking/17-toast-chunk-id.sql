-- pg_column_toast_chunk_id: which value of the TOAST table it is.
create table t (id int, body text, n int default 7);
insert into t values (1, 'short'), (2, repeat('a', 5000)), (4, null);
insert into t select 3, string_agg(md5(g::text), '') from generate_series(1, 200) g;
select id, pg_column_toast_chunk_id(body) is not null as outside, pg_column_toast_chunk_id(n) from t order by id;
select reltoastrelid::regclass as toast from pg_class where relname = 't' \gset
select count(*) from t, :toast where pg_column_toast_chunk_id(body) = chunk_id;
