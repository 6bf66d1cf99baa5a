-- VACUUM (PROCESS_TOAST false) leaves the TOAST table as it is; 13 does not know the option.
create table t (a int, b text);
insert into t select g, (select string_agg(md5(g::text || h::text), '') from generate_series(1, 200) h) from generate_series(1, 20) g;
delete from t where a < 10;
vacuum (process_toast false) t;
vacuum (process_toast true) t;
vacuum (full, process_toast false) t;
