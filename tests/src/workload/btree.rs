//! Workloads about B-trees: what nbtinsert.c, nbtdedup.c, nbtpage.c and nbtsort.c log.

use super::Workload;

pub(super) const ALL: &[Workload] = &[
    Workload::new("splits", SPLITS),
    Workload::new("posting_lists", POSTING_LISTS),
    Workload::new("killed_items", KILLED_ITEMS),
    Workload::new("bottom_up", BOTTOM_UP),
    Workload::new("page_deletion", PAGE_DELETION),
    Workload::new("fast_root", FAST_ROOT),
    Workload::new("builds", BUILDS),
];

/// At the end, in the middle and at random; keys small and wide, so that the root splits too.
const SPLITS: &str = "
CREATE TABLE up (id int PRIMARY KEY);
INSERT INTO up SELECT generate_series(1, 1500);
CREATE TABLE down (id int PRIMARY KEY);
INSERT INTO down SELECT generate_series(1500, 1, -1);
CREATE TABLE scattered (id uuid PRIMARY KEY);
INSERT INTO scattered SELECT md5(i::text)::uuid FROM generate_series(1, 1500) i;
CREATE TABLE wide (key text PRIMARY KEY);
ALTER TABLE wide ALTER key SET STORAGE PLAIN;
INSERT INTO wide SELECT md5((i * 7919 % 160)::text) || repeat('w', 1200) FROM generate_series(1, 160) i;
CREATE TABLE pair (a int, b int, c text);
CREATE INDEX ON pair (a, b) INCLUDE (c);
INSERT INTO pair SELECT i % 30, i, 'c' || i FROM generate_series(1, 1200) i;
CREATE TABLE nulls (n int);
CREATE INDEX ON nulls (n DESC NULLS LAST);
INSERT INTO nulls SELECT CASE WHEN i % 3 > 0 THEN i % 200 END FROM generate_series(1, 2000) i;
";

/// Equal keys; a TID that belongs in the middle of a posting list takes the place of one that VACUUM freed.
const POSTING_LISTS: &str = "
CREATE TABLE t (id int, n int, s text);
CREATE INDEX by_n ON t (n);
CREATE INDEX by_s ON t (s);
INSERT INTO t SELECT i, i % 5, 'state ' || i % 3 FROM generate_series(1, 3000) i;
DELETE FROM t WHERE id % 10 = 0;
VACUUM t;
INSERT INTO t SELECT i, i % 5, 'state ' || i % 3 FROM generate_series(4001, 4300) i;
DELETE FROM t WHERE id % 3 = 0;
VACUUM t;
INSERT INTO t SELECT i, i % 5, 'state ' || i % 3 FROM generate_series(5001, 7000) i;
UPDATE t SET n = n + 1 WHERE id % 50 = 1;
DELETE FROM t WHERE n = 2;
VACUUM t;
";

/// Scans mark entries as dead, the next insertion removes them.
const KILLED_ITEMS: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int) WITH (fillfactor = 100);
CREATE INDEX by_n ON t (n);
INSERT INTO t SELECT i, i FROM generate_series(1, 2000) i;
DELETE FROM t WHERE id BETWEEN 101 AND 1900;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM t WHERE id BETWEEN 1 AND 2000;
SELECT count(*) FROM t WHERE n BETWEEN 1 AND 2000;
SELECT count(*) FROM t WHERE id BETWEEN 1 AND 2000;
SELECT count(*) FROM t WHERE n BETWEEN 1 AND 2000;
INSERT INTO t SELECT i, i FROM generate_series(101, 1900) i;
DELETE FROM t WHERE id BETWEEN 300 AND 900;
SELECT count(*) FROM t WHERE id BETWEEN 1 AND 2000;
SELECT count(*) FROM t WHERE id BETWEEN 1 AND 2000;
INSERT INTO t SELECT i, i % 7 FROM generate_series(300, 900) i;
";

/// Versions of rows whose other index did not change.
const BOTTOM_UP: &str = "
CREATE TABLE t (id int PRIMARY KEY, state int, n int) WITH (fillfactor = 90);
CREATE INDEX by_state ON t (state);
CREATE INDEX by_n ON t (n);
INSERT INTO t SELECT i, i % 4, 0 FROM generate_series(1, 500) i;
DO $$ BEGIN FOR i IN 1..30 LOOP UPDATE t SET n = n + 1 WHERE id % 5 = i % 5; COMMIT; END LOOP; END $$;
UPDATE t SET n = n + 1;
UPDATE t SET n = n + 1;
UPDATE t SET n = n + 1;
VACUUM t;
";

/// Leaves empty, are half-dead, unlinked, and used again when nobody can see them any more.
const PAGE_DELETION: &str = "
CREATE TABLE t (id int PRIMARY KEY, key text);
ALTER TABLE t ALTER key SET STORAGE PLAIN;
CREATE INDEX by_key ON t (key);
INSERT INTO t SELECT i, lpad(i::text, 5, '0') || repeat('k', 900) FROM generate_series(1, 500) i;
DELETE FROM t WHERE id BETWEEN 20 AND 460;
VACUUM t;
SELECT txid_current();
SELECT txid_current();
VACUUM t;
VACUUM t;
INSERT INTO t SELECT i, lpad(i::text, 5, '0') || repeat('k', 900) FROM generate_series(100, 300) i;
CREATE TABLE plain (id int PRIMARY KEY);
INSERT INTO plain SELECT generate_series(1, 4000);
DELETE FROM plain WHERE id BETWEEN 500 AND 3500;
VACUUM plain;
SELECT txid_current();
SELECT txid_current();
VACUUM plain;
INSERT INTO plain SELECT generate_series(5000, 7000);
";

/// A tall tree that loses all but its right edge, and grows again below its root.
const FAST_ROOT: &str = "
CREATE TABLE t (id int PRIMARY KEY, key text);
ALTER TABLE t ALTER key SET STORAGE PLAIN;
CREATE INDEX by_key ON t (key);
INSERT INTO t SELECT i, lpad(i::text, 5, '0') || repeat('k', 1500) FROM generate_series(1, 300) i;
DELETE FROM t WHERE id < 300;
VACUUM t;
SELECT txid_current();
SELECT txid_current();
VACUUM t;
INSERT INTO t SELECT i, lpad(i::text, 5, '0') || repeat('k', 1500) FROM generate_series(301, 340) i;
DELETE FROM t;
VACUUM t;
INSERT INTO t SELECT i, lpad(i::text, 5, '0') || repeat('k', 1500) FROM generate_series(401, 410) i;
";

const BUILDS: &str = "
CREATE TABLE t (id int, n int, s text);
INSERT INTO t SELECT i, i % 100, md5(i::text) FROM generate_series(1, 3000) i;
CREATE UNIQUE INDEX ON t (id);
CREATE INDEX ON t (n);
CREATE INDEX ON t (s) WHERE n > 50;
CREATE INDEX ON t ((n + id)) WITH (fillfactor = 50, deduplicate_items = off);
REINDEX TABLE t;
CREATE TABLE empty (id int PRIMARY KEY);
INSERT INTO empty VALUES (1);
DROP TABLE t;
";
