-- heap_wal 3.3: the target block is a session's own; another session begins with the free space map and the last page.
create table t (a int, b char(700));
insert into t select g, 'x' from generate_series(1, 25) g;
--@ session B
insert into t values (100, 'b');
--@ session A
insert into t select g, 'x' from generate_series(26, 40) g;
--@ session B
insert into t select g, 'b' from generate_series(101, 115) g;
--@ session A
delete from t where a < 20;
vacuum t;
insert into t select g, 'x' from generate_series(200, 210) g;
--@ session B
insert into t select g, 'b' from generate_series(300, 320) g;
