-- CREATE TEMP TABLE: pages of its session alone, nothing in the WAL; it hides a permanent table of its name; ON COMMIT.
CREATE TABLE t (a int PRIMARY KEY, b text);
INSERT INTO t VALUES (1, 'permanent');
CREATE TEMP TABLE t (a int PRIMARY KEY, b text) WITH (fillfactor = 70);
CREATE TEMP TABLE t (a int);
CREATE TEMPORARY TABLE IF NOT EXISTS t (a int);
INSERT INTO t SELECT g, 'temporary ' || g FROM generate_series(1, 400) g;
SELECT count(*) FROM t;
SELECT * FROM pg_temp.t WHERE a = 7;
UPDATE t SET b = b || '!' WHERE a % 7 = 0;
UPDATE t SET b = b || '?' WHERE a % 7 = 0;
DELETE FROM t WHERE a % 3 = 0;
SELECT sum(a) FROM t WHERE a < 100;
SELECT ctid, a FROM t WHERE a < 60;
VACUUM t;
VACUUM (FREEZE) t;
INSERT INTO t SELECT g, 'more' FROM generate_series(500, 560) g;
SELECT ctid, a FROM t WHERE a >= 500;
SELECT 't'::regclass;
-- others do not see it, and their snapshots do not hold back what VACUUM removes of it from 14 on
--@ session B
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM t;
--@ session A
UPDATE t SET b = 'new' WHERE a < 40;
SELECT count(*) FROM t WHERE a < 40;
VACUUM t;
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
ROLLBACK;
TRUNCATE t;
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
