-- heap_wal 5.2: the space below which a page is pruned is that of fillfactor, at least a tenth of the page.
create table t (a int, b char(300)) with (fillfactor = 50);
insert into t select g, 'x' from generate_series(1, 12) g;
update t set b = 'y' where a < 4;
select count(*) from t;
update t set b = 'z' where a < 4;
select count(*) from t;
