-- heap_wal 14.8: a value that is compressed in line, and one that moves to the TOAST table in two chunks.
create table tt(a int, b text);
insert into tt values (1, repeat('abcdefghij',300));
-- wal: INSERT+INIT 113
insert into tt select 2, string_agg(md5(g::text), '') from generate_series(1,100) g;
update tt set a = 3 where a = 2;
update tt set b = b || 'x' where a = 3;
delete from tt;
vacuum tt;
