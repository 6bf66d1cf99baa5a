-- heap_wal 10.4: without full-page images replay takes the torn page for new, as its pd_lsn is: the damage stays.
create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 20) g;
--@ set full_page_writes off
checkpoint;
update t set b = 'y' where a = 1;
update t set b = 'z' where a = 2;
--@ crash torn t 0 4096
--@ set full_page_writes on
