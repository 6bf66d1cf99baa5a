-- heap_wal 7.3, 7.4: pages that are all-visible are skipped in runs of 32; bits are cleared by changes and set again.
create table t (a int, b char(900));
insert into t select g, 'x' from generate_series(1, 400) g;
vacuum t;
update t set b = 'y' where a = 350;
delete from t where a = 5;
vacuum t;
select * from t where a = 6 for share;
vacuum (freeze) t;
select * from t where a = 7 for share;
delete from t where a = 8;
vacuum (disable_page_skipping) t;
