-- wal_compression is a session's (from whoever may set it); what is the server's cannot be set by a session.
create table t (a int, b text);
insert into t select g, repeat('x', 60) from generate_series(1, 20) g;
checkpoint;
set wal_compression = on;
update t set b = 'y' where a = 1;
checkpoint;
--@ session B
update t set b = 'y' where a = 2;
checkpoint;
--@ session A
update t set b = 'y' where a = 3;
reset wal_compression;
checkpoint;
update t set b = 'y' where a = 4;
set full_page_writes = off;
set wal_log_hints = on;
set data_checksums = on;
set wal_compression = 'no such';
alter system set data_checksums = on;
