-- REINDEX TABLE CONCURRENTLY: all indexes go on side by side, that of the TOAST table last
-- (`ReindexRelationConcurrently`, src/backend/commands/indexcmds.c).
CREATE TABLE t (a int PRIMARY KEY, b int, c text) WITH (autovacuum_enabled = off);
CREATE INDEX t_b ON t (b);
CREATE UNIQUE INDEX t_c ON t (left(c, 10)) WHERE a > 5;
INSERT INTO t SELECT g, g % 7, g || repeat('y', 20) FROM generate_series(1, 400) g;
DELETE FROM t WHERE a % 2 = 0;
UPDATE t SET b = b + 1 WHERE a < 50;
REINDEX TABLE CONCURRENTLY t;
INSERT INTO t VALUES (1000, 1, 'new');
SELECT relname FROM pg_class WHERE relname IN ('t_pkey', 't_b', 't_c', 't_b_ccnew', 't_b_ccold') ORDER BY 1;
SELECT conname, conindid::regclass FROM pg_constraint WHERE conrelid = 't'::regclass AND contype = 'p';
CREATE TABLE plain (a int, n int) WITH (autovacuum_enabled = off);
CREATE INDEX plain_a ON plain (a);
CREATE INDEX plain_n ON plain (n);
INSERT INTO plain SELECT g, -g FROM generate_series(1, 500) g;
DELETE FROM plain WHERE a < 400;
REINDEX TABLE CONCURRENTLY plain;
INSERT INTO plain VALUES (1, 1);
reindex (concurrently) table plain;
CREATE TABLE bare (a int) WITH (autovacuum_enabled = off);
REINDEX TABLE CONCURRENTLY bare;
BEGIN;
REINDEX TABLE CONCURRENTLY t;
ROLLBACK;
REINDEX TABLE CONCURRENTLY t_b;
REINDEX INDEX CONCURRENTLY t;
INSERT INTO bare VALUES (1);
