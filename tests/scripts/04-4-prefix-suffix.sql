-- heap_wal 4.6, 13.2: what an update on the same page logs: the bytes between the common prefix and the common suffix.
create table t (a int, b int, c text, d int);
insert into t select g, 0, 'some text', 0 from generate_series(1, 10) g;
update t set d = 1 where a = 1;
update t set d = 256 where a = 2;
update t set d = 65537 where a = 3;
update t set b = 1 where a = 4;
update t set c = 'some other text' where a = 5;
update t set c = 'same', d = 5 where a = 6;
update t set a = 77 where a = 7;
update t set b = null where a = 8;
update t set b = 3 where a = 8;
update t set b = b where a = 9;
