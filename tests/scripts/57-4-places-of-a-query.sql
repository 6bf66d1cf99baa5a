-- Rows by the places that a query finds, as rows are deleted in batches: an InitPlan, and a Tid Scan.
CREATE TABLE t (id int PRIMARY KEY, v int);
INSERT INTO t SELECT g, g % 50 FROM generate_series(1, 2000) g;
ANALYZE t;
EXPLAIN (COSTS OFF) DELETE FROM t WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 7 LIMIT 5));
DELETE FROM t WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 7 LIMIT 5));
EXPLAIN (COSTS OFF) UPDATE t SET v = 100 WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 9 ORDER BY id DESC LIMIT 7));
UPDATE t SET v = 100 WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 9 ORDER BY id DESC LIMIT 7));
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 11 LIMIT 3)) AND id > 50;
SELECT * FROM t WHERE ctid = ANY (ARRAY(SELECT ctid FROM t WHERE v = 11 LIMIT 3)) AND id > 50;
SELECT count(*), sum(v) FROM t;
