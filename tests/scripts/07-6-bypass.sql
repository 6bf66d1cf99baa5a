-- heap_wal 7.6: from 14 on VACUUM leaves the index alone when few pages have dead rows.
create table t (a int primary key, b char(900));
insert into t select g, 'x' from generate_series(1, 900) g;
delete from t where a = 17;
vacuum t;
delete from t where a in (100, 200, 300);
vacuum t;
delete from t where a = 18;
vacuum (index_cleanup on) t;
delete from t where a < 50;
vacuum (index_cleanup off) t;
