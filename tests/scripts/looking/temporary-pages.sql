-- Pages of temporary tables, which their session alone can read: no LSN, no init fork; they hide tables of their names.
CREATE EXTENSION pageinspect;
CREATE TABLE t (a int PRIMARY KEY, b text);
INSERT INTO t VALUES (1, 'permanent');
CREATE TEMP TABLE t (a int PRIMARY KEY, b text) WITH (fillfactor = 70);
CREATE TEMP TABLE t (a int);
CREATE TEMPORARY TABLE IF NOT EXISTS t (a int);
INSERT INTO t SELECT g, 'temporary ' || g FROM generate_series(1, 400) g;
SELECT count(*) FROM t;
SELECT * FROM public.t;
SELECT * FROM pg_temp.t WHERE a = 7;
UPDATE t SET b = b || '!' WHERE a % 7 = 0;
UPDATE t SET b = b || '?' WHERE a % 7 = 0;
SELECT lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask2, t_infomask, t_hoff, t_data FROM heap_page_items(get_raw_page('t', 0));
SELECT lower, upper, special, flags FROM page_header(get_raw_page('t', 1));
DELETE FROM t WHERE a % 3 = 0;
SELECT sum(a) FROM t WHERE a < 100;
SELECT lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask2, t_infomask FROM heap_page_items(get_raw_page('t', 0));
VACUUM t;
SELECT lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask2, t_infomask FROM heap_page_items(get_raw_page('t', 0));
SELECT lower, upper, special, flags, lsn FROM page_header(get_raw_page('t', 0));
SELECT itemoffset, ctid, itemlen, data FROM bt_page_items('t_pkey', 1) LIMIT 20;
SELECT pg_relation_size('t'), pg_relation_size('t_pkey'), pg_relation_size('t', 'fsm'), pg_relation_size('t', 'vm'), pg_relation_size('t', 'init');
VACUUM (FREEZE) t;
SELECT lp, t_infomask2, t_infomask FROM heap_page_items(get_raw_page('t', 1));
SELECT relname, relpersistence, relkind FROM pg_class WHERE oid = 't'::regclass;
SELECT 't'::regclass;
-- others do not see it, and their snapshots do not hold back what VACUUM removes of it from 14 on
--@ session B
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM t;
--@ session A
UPDATE t SET b = 'new' WHERE a < 40;
SELECT count(*) FROM t WHERE a < 40;
VACUUM t;
SELECT lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask2, t_infomask FROM heap_page_items(get_raw_page('t', 0));
--@ session B
SELECT * FROM t;
COMMIT;
SELECT * FROM pg_temp.t;
--@ session A
BEGIN READ ONLY;
INSERT INTO t VALUES (1000, 'allowed');
UPDATE t SET b = 'too' WHERE a = 1000;
SELECT b FROM t WHERE a = 1000 FOR UPDATE;
DELETE FROM t WHERE a = 1000;
UPDATE public.t SET b = 'refused';
ROLLBACK;
TRUNCATE t;
SELECT pg_relation_size('t'), pg_relation_size('t_pkey');
DROP TABLE t;
SELECT * FROM t;
-- rolled back, with its schema or without
BEGIN;
CREATE TEMP TABLE r (a int);
INSERT INTO r VALUES (1);
ROLLBACK;
SELECT * FROM r;
BEGIN;
CREATE TEMP TABLE r (a serial, b text);
SAVEPOINT s;
INSERT INTO r (b) VALUES ('x'), ('y');
ROLLBACK TO s;
INSERT INTO r (b) VALUES ('z') RETURNING *;
COMMIT;
SELECT * FROM r;
DROP TABLE r;
CREATE TABLE after (a int);
INSERT INTO after VALUES (1);
DROP TABLE after;
