-- heap_wal 3.1, 2.4, 9.1: INSERT of rows of all sizes up to the largest without TOAST; a length of L + 31 bytes.
create table t (a int, b text);
insert into t values (1, 'x');
-- wal: INSERT+INIT 61
insert into t values (2, null);
-- wal: INSERT 59
insert into t values (null, null);
-- wal: INSERT 55
insert into t values (3, repeat('x', 126));
insert into t values (4, repeat('x', 127));
insert into t values (5, ''), (6, 'abc'), (7, repeat('y', 1990));
-- status: INSERT 0 3
select count(*) from t;
-- wal: none
create table w (c00 int, c01 smallint, c02 bigint, c03 boolean, c04 "char", c05 real, c06 double precision, c07 numeric, c08 varchar(9), c09 char(5), c10 bytea, c11 uuid,
  c12 date, c13 time, c14 timestamp, c15 interval, c16 int[]);
insert into w values (1, 2, 3, true, 'c', 1.5, -2.25, 12345.678, 'xy', 'q', '\x00ff', '00112233-4455-6677-8899-aabbccddeeff', '2024-02-29', '12:34:56.789', '2024-02-29 12:34:56',
  '1 month 2 days 03:04:05', '{1,2,null,4}');
insert into w (c01, c03, c16) values (7, false, '{}');
insert into w (c00) values (null);
