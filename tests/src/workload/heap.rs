//! Workloads about tables: what heapam.c, pruneheap.c, vacuumlazy.c, heaptoast.c and multixact.c log.

use super::Workload;

pub(super) const ALL: &[Workload] = &[
    Workload::new("small_dml", SMALL_DML),
    Workload::new("hot", HOT),
    Workload::new("vacuum", VACUUM),
    Workload::new("freezing", FREEZING),
    Workload::new("truncation", TRUNCATION),
    Workload::new("copy_rows", COPY_ROWS),
    Workload::new("toast", TOAST),
    Workload::new("row_locks", ROW_LOCKS),
    Workload::new("multixact", MULTIXACT),
    Workload::new("on_conflict", ON_CONFLICT),
    Workload::new("subtransactions", SUBTRANSACTIONS),
    Workload::new("sequences", SEQUENCES),
    Workload::new("rewrites", REWRITES),
    Workload::new("unlogged", UNLOGGED),
    Workload::new("partitions", PARTITIONS),
    Workload::new("columns", COLUMNS),
];

const SMALL_DML: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, note text);
INSERT INTO t SELECT i, i, 'row ' || i FROM generate_series(1, 300) i;
INSERT INTO t VALUES (301, NULL, NULL), (302, 1, '');
UPDATE t SET n = n + 1 WHERE id = 7;
UPDATE t SET note = note || repeat(' and more', 20) WHERE id BETWEEN 10 AND 40;
UPDATE t SET id = id + 1000 WHERE id < 5;
DELETE FROM t WHERE id BETWEEN 50 AND 60;
BEGIN;
UPDATE t SET n = 0 WHERE id = 100;
UPDATE t SET n = 1 WHERE id = 100;
DELETE FROM t WHERE id = 100;
INSERT INTO t VALUES (100, 5, 'again');
COMMIT;
BEGIN;
DELETE FROM t WHERE id = 200;
UPDATE t SET n = -1 WHERE id = 201;
ROLLBACK;
";

/// Chains of versions on one page, pruned by the next reader.
const HOT: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 60);
INSERT INTO t SELECT i, 0, repeat('x', 40) FROM generate_series(1, 400) i;
UPDATE t SET n = n + 1 WHERE id <= 200;
UPDATE t SET n = n + 1 WHERE id <= 200;
SELECT count(*) FROM t;
UPDATE t SET n = n + 1;
UPDATE t SET n = n + 1 WHERE id % 2 = 0;
DELETE FROM t WHERE id BETWEEN 20 AND 60;
SELECT count(*) FROM t;
UPDATE t SET n = n + 1, filler = filler || 'y' WHERE id > 100;
SELECT count(*) FROM t;
BEGIN;
UPDATE t SET n = n + 1 WHERE id = 300;
UPDATE t SET n = n + 1 WHERE id = 300;
ROLLBACK;
UPDATE t SET n = n + 1 WHERE id BETWEEN 290 AND 310;
SELECT count(*) FROM t;
VACUUM t;
UPDATE t SET n = n + 1 WHERE id BETWEEN 290 AND 310;
VACUUM t;
";

const VACUUM: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, filler text);
INSERT INTO t SELECT i, i, repeat('x', 100) FROM generate_series(1, 1500) i;
VACUUM t;
DELETE FROM t WHERE id % 3 = 0;
VACUUM t;
INSERT INTO t SELECT i, i, repeat('y', 100) FROM generate_series(2001, 2300) i;
UPDATE t SET n = n + 1 WHERE id % 7 = 0;
DELETE FROM t WHERE id BETWEEN 100 AND 180;
14+: VACUUM (INDEX_CLEANUP ON) t;
13: VACUUM t;
DELETE FROM t WHERE id BETWEEN 500 AND 510;
VACUUM (INDEX_CLEANUP OFF) t;
VACUUM t;
CREATE TABLE no_index (id int);
INSERT INTO no_index SELECT generate_series(1, 600);
DELETE FROM no_index WHERE id BETWEEN 1 AND 300;
VACUUM no_index;
INSERT INTO no_index SELECT generate_series(1, 30);
DELETE FROM no_index WHERE id > 250;
VACUUM ANALYZE no_index;
";

const FREEZING: &str = "
CREATE TABLE t (id int, n int) WITH (fillfactor = 70);
INSERT INTO t SELECT i, 0 FROM generate_series(1, 700) i;
VACUUM (FREEZE) t;
UPDATE t SET n = 1 WHERE id % 10 = 0;
BEGIN;
SELECT count(*) FROM (SELECT FROM t WHERE id % 7 = 0 FOR UPDATE) s;
COMMIT;
BEGIN;
SELECT count(*) FROM (SELECT FROM t WHERE id % 11 = 0 FOR KEY SHARE) s;
@1 BEGIN;
@1 SELECT count(*) FROM (SELECT FROM t WHERE id % 11 = 0 FOR SHARE) s;
@1 COMMIT;
UPDATE t SET n = 2 WHERE id % 22 = 0;
COMMIT;
BEGIN;
DELETE FROM t WHERE id % 13 = 0;
ROLLBACK;
VACUUM (FREEZE) t;
DELETE FROM t WHERE id BETWEEN 40 AND 90;
INSERT INTO t SELECT i, 3 FROM generate_series(1000, 1040) i;
VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t;
";

/// VACUUM gives the tail's empty pages back; TRUNCATE all of them.
const TRUNCATION: &str = "
CREATE TABLE t (id int PRIMARY KEY, filler text);
INSERT INTO t SELECT i, repeat('x', 500) FROM generate_series(1, 900) i;
VACUUM t;
DELETE FROM t WHERE id > 300;
VACUUM t;
INSERT INTO t SELECT i, repeat('y', 500) FROM generate_series(1000, 1100) i;
DELETE FROM t;
VACUUM t;
INSERT INTO t SELECT i, 'z' FROM generate_series(1, 50) i;
TRUNCATE t;
INSERT INTO t SELECT i, 'z' FROM generate_series(1, 50) i;
BEGIN;
TRUNCATE t;
INSERT INTO t VALUES (1, 'seen by nobody');
ROLLBACK;
DELETE FROM t WHERE id = 3;
";

const COPY_ROWS: &str = "
CREATE TABLE t (id int);
COPY t FROM PROGRAM 'seq 1 2500';
COPY t FROM PROGRAM 'seq 1 10';
CREATE TABLE p (id int PRIMARY KEY, note text) WITH (fillfactor = 50);
COPY p FROM PROGRAM 'for i in $(seq 1 700); do printf \"%s\\tnote %s\\n\" $i $i; done';
BEGIN;
CREATE TABLE f (id int);
COPY f FROM PROGRAM 'seq 1 1200' WITH (FREEZE);
COMMIT;
CREATE TABLE s AS SELECT i AS id, i * 2 AS n FROM generate_series(1, 500) i;
";

const TOAST: &str = "
CREATE TABLE t (id int PRIMARY KEY, doc text);
ALTER TABLE t ALTER doc SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 200) j) FROM generate_series(1, 12) i;
UPDATE t SET doc = doc || 'x' WHERE id <= 4;
DELETE FROM t WHERE id IN (5, 6);
CREATE TABLE c (id int, doc text, other text);
INSERT INTO c SELECT i, repeat('abc ' || i, 3000), repeat('z', 1500) FROM generate_series(1, 20) i;
UPDATE c SET id = id + 100 WHERE id < 10;
VACUUM t;
VACUUM c;
";

/// Four kinds of row locks, alone and beside each other.
const ROW_LOCKS: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
INSERT INTO t SELECT i, 0 FROM generate_series(1, 40) i;
VACUUM t;
BEGIN;
SELECT FROM t WHERE id = 1 FOR UPDATE;
SELECT FROM t WHERE id = 2 FOR NO KEY UPDATE;
SELECT FROM t WHERE id = 3 FOR SHARE;
SELECT FROM t WHERE id = 4 FOR KEY SHARE;
UPDATE t SET n = 1 WHERE id IN (5, 6);
@1 BEGIN;
@1 SELECT FROM t WHERE id = 3 FOR SHARE;
@1 SELECT FROM t WHERE id = 4 FOR SHARE;
@1 SELECT FROM t WHERE id = 5 FOR KEY SHARE;
@1 SELECT FROM t WHERE id IN (10, 11) FOR KEY SHARE;
@2 BEGIN;
@2 SELECT FROM t WHERE id IN (3, 4, 5) FOR KEY SHARE;
@2 UPDATE t SET n = 2 WHERE id = 10;
@1 COMMIT;
COMMIT;
@2 ROLLBACK;
SELECT FROM t WHERE id = 1 FOR UPDATE;
CREATE TABLE child (id int REFERENCES t);
INSERT INTO child SELECT i % 20 + 1 FROM generate_series(1, 60) i;
UPDATE t SET n = n + 1 WHERE id <= 20;
VACUUM t;
";

/// A chain of versions that a locker follows: LOCK_UPDATED on each.
const MULTIXACT: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
INSERT INTO t SELECT i, 0 FROM generate_series(1, 30) i;
@1 BEGIN ISOLATION LEVEL REPEATABLE READ;
@1 SELECT count(*) FROM t;
UPDATE t SET n = 1 WHERE id <= 10;
BEGIN;
UPDATE t SET n = 2 WHERE id <= 5;
SAVEPOINT s;
UPDATE t SET n = 3 WHERE id <= 2;
RELEASE s;
@1 SELECT count(*) FROM (SELECT FROM t WHERE id <= 10 FOR KEY SHARE) s;
@2 BEGIN;
@2 SELECT count(*) FROM (SELECT FROM t WHERE id <= 10 FOR KEY SHARE) s;
COMMIT;
@2 COMMIT;
@1 COMMIT;
VACUUM (FREEZE) t;
BEGIN;
SELECT count(*) FROM (SELECT FROM t FOR SHARE) s;
@1 BEGIN;
@1 SELECT count(*) FROM (SELECT FROM t FOR SHARE) s;
@2 BEGIN;
@2 SELECT count(*) FROM (SELECT FROM t FOR SHARE) s;
COMMIT;
@1 ROLLBACK;
@2 COMMIT;
DELETE FROM t WHERE id = 9;
";

/// Speculative insertion: confirmed, and given up where another row is in the way.
const ON_CONFLICT: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, filler text);
INSERT INTO t SELECT i, 0, repeat('x', 200) FROM generate_series(1, 30) i ON CONFLICT DO NOTHING;
INSERT INTO t SELECT i, 1, 'new' FROM generate_series(20, 50) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1;
CREATE TABLE d (id int, doc text, UNIQUE (id));
ALTER TABLE d ALTER doc SET STORAGE EXTERNAL;
INSERT INTO d SELECT i % 5, repeat(md5(i::text), 150) FROM generate_series(1, 10) i ON CONFLICT (id) DO NOTHING;
";

const SUBTRANSACTIONS: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
BEGIN;
INSERT INTO t VALUES (1, 0);
SAVEPOINT a;
INSERT INTO t VALUES (2, 0);
SAVEPOINT b;
UPDATE t SET n = 1 WHERE id = 1;
ROLLBACK TO b;
INSERT INTO t VALUES (3, 0);
RELEASE a;
DELETE FROM t WHERE id = 2;
COMMIT;
DO $$ BEGIN FOR i IN 100..300 LOOP BEGIN INSERT INTO t VALUES (i, 0); EXCEPTION WHEN unique_violation THEN NULL; END; END LOOP; END $$;
DO $$ BEGIN FOR i IN 290..310 LOOP BEGIN INSERT INTO t VALUES (i, 0); EXCEPTION WHEN unique_violation THEN NULL; END; END LOOP; END $$;
BEGIN;
SAVEPOINT a;
UPDATE t SET n = 9 WHERE id < 150;
SAVEPOINT b;
DELETE FROM t WHERE id < 120;
ROLLBACK;
";

const SEQUENCES: &str = "
CREATE SEQUENCE s;
SELECT count(nextval('s')) FROM generate_series(1, 100);
SELECT setval('s', 5000);
ALTER SEQUENCE s RESTART;
SELECT nextval('s');
CREATE TABLE t (id bigserial, n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO t SELECT FROM generate_series(1, 70);
BEGIN;
SELECT nextval('s');
ROLLBACK;
TRUNCATE t RESTART IDENTITY;
INSERT INTO t SELECT FROM generate_series(1, 5);
DROP SEQUENCE s;
";

/// New files for a table: ALTER TABLE, CLUSTER, VACUUM FULL, ALTER … SET TABLESPACE's kin.
const REWRITES: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, note text);
INSERT INTO t SELECT i, i % 17, 'row ' || i FROM generate_series(1, 600) i;
DELETE FROM t WHERE id % 4 = 0;
ALTER TABLE t ALTER n TYPE bigint;
ALTER TABLE t ADD added int DEFAULT 3;
ALTER TABLE t ADD rolled float8 DEFAULT random();
UPDATE t SET note = 'changed' WHERE n = 3;
VACUUM FULL t;
CLUSTER t USING t_pkey;
REINDEX TABLE t;
CREATE INDEX CONCURRENTLY by_n ON t (n);
REINDEX INDEX CONCURRENTLY by_n;
DROP INDEX by_n;
CREATE MATERIALIZED VIEW m AS SELECT n, count(*) FROM t GROUP BY n;
REFRESH MATERIALIZED VIEW m;
ANALYZE t;
DROP TABLE t CASCADE;
";

const UNLOGGED: &str = "
CREATE UNLOGGED TABLE t (id int PRIMARY KEY, doc text);
INSERT INTO t SELECT i, 'x' FROM generate_series(1, 200) i;
DELETE FROM t WHERE id % 2 = 0;
VACUUM t;
ALTER TABLE t SET LOGGED;
INSERT INTO t SELECT i, 'y' FROM generate_series(1001, 1100) i;
ALTER TABLE t SET UNLOGGED;
CREATE TEMP TABLE temporary (id int);
INSERT INTO temporary VALUES (1);
";

const PARTITIONS: &str = "
CREATE TABLE p (id int, part int, n int) PARTITION BY LIST (part);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
CREATE INDEX ON p (id);
INSERT INTO p SELECT i, i % 2 + 1, 0 FROM generate_series(1, 100) i;
UPDATE p SET part = 3 - part WHERE id < 20;
UPDATE p SET n = n + 1;
ALTER TABLE p DETACH PARTITION p2;
DROP TABLE p1;
";

/// Widths, NULLs and versions that share a prefix or suffix.
const COLUMNS: &str = "
CREATE TABLE t (a int, b int, c text, d text, e bigint);
INSERT INTO t SELECT i, NULL, md5(i::text), NULL, i FROM generate_series(1, 100) i;
UPDATE t SET b = a;
UPDATE t SET d = 'tail' WHERE a % 2 = 0;
UPDATE t SET e = e + 1 WHERE a % 3 = 0;
UPDATE t SET a = a + 1 WHERE a % 5 = 0;
ALTER TABLE t ADD f int DEFAULT 9;
UPDATE t SET c = NULL WHERE a % 7 = 0;
ALTER TABLE t DROP b;
UPDATE t SET f = 10 WHERE a < 50;
INSERT INTO t SELECT i, md5(i::text), repeat('w', i), i, i FROM generate_series(1, 400) i;
";
