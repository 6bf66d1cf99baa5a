-- System columns are read from the header of the version that a scan finds: ctid, xmin, xmax, cmin, cmax and tableoid. A scan by ctid fetches versions as they are: it follows no chain and prunes nothing;
-- one between two places reads and prunes their blocks only, from 14 on.
CREATE TABLE t (id int, b text);
CREATE TABLE seen (what text, ctid_ text, xmin_ text, xmax_ text, cmin_ text, cmax_ text, id int);
BEGIN;
INSERT INTO t SELECT g, repeat('x', 300) FROM generate_series(1, 100) g;
UPDATE t SET b = 'y' WHERE id % 10 = 0;
DELETE FROM t WHERE id % 10 = 1;
INSERT INTO seen SELECT 'own', ctid, xmin, xmax, cmin, cmax, id FROM t WHERE id < 13;
COMMIT;
SELECT ctid, xmin, xmax, cmin, cmax, tableoid, * FROM t;
SELECT t.ctid, t.* FROM t WHERE ctid = '(0,1)';
INSERT INTO seen SELECT 'first', ctid::text, xmin::text, xmax::text, cmin::text, cmax::text, id FROM t WHERE ctid = '(0,2)';
INSERT INTO seen SELECT 'list', ctid::text, xmin::text, xmax::text, cmin::text, cmax::text, id FROM t WHERE ctid IN ('(2,5)', '(0,3)', '(0,3)', '(0,0)', '(99,1)', '(0,99)') ORDER BY ctid DESC;
INSERT INTO seen SELECT 'any', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid = ANY (ARRAY['(1,4)', '(0,2)', NULL]::tid[]);
INSERT INTO seen SELECT 'any', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid = ANY (ARRAY['(1,4)'::tid, '(0,2)'::tid]);
INSERT INTO seen SELECT 'any', NULL, NULL, NULL, NULL, NULL, id FROM t WHERE id = ANY (ARRAY[3, 4, 5]);
INSERT INTO seen SELECT 'or', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid = '(1,4)' OR '(0,2)' = ctid AND id > 0;
INSERT INTO seen SELECT 'range', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid > '(1,20)' AND ctid <= '(2,3)';
INSERT INTO seen SELECT 'range', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE '(2,0)' > ctid AND ctid >= '(1,0)' AND id > 50;
INSERT INTO seen SELECT 'none', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid > '(2,0)' AND ctid < '(1,0)';
INSERT INTO seen SELECT 'none', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE ctid > NULL;
INSERT INTO seen SELECT 'not', ctid::text, xmin::text, NULL, NULL, NULL, id FROM t WHERE ctid <> '(0,2)' AND xmax <> 0 AND xmin = xmin AND cmin = '1';
INSERT INTO seen SELECT 'null', NULL, NULL, NULL, NULL, NULL, id FROM t WHERE ctid IS NULL OR xmin IS NULL OR tableoid IS NULL;
INSERT INTO seen SELECT 'sort', ctid::text, NULL, NULL, NULL, NULL, id FROM t WHERE id < 20 ORDER BY ctid DESC LIMIT 5;
INSERT INTO seen SELECT 'sort', ctid::text, NULL, NULL, NULL, NULL, id FROM t ORDER BY tableoid, id LIMIT 5;
INSERT INTO seen SELECT 'with a series', ctid::text, NULL, NULL, NULL, NULL, g FROM t, generate_series(1, 2) g WHERE ctid = '(0,5)';
INSERT INTO seen SELECT 'agg', min(ctid)::text, max(ctid)::text, NULL, NULL, NULL, count(xmin) FROM t;
-- rows are locked, and the header says so
BEGIN;
SELECT ctid, xmax FROM t WHERE ctid = '(0,2)' FOR UPDATE;
INSERT INTO seen SELECT 'locked', ctid::text, xmin::text, xmax::text, cmin::text, cmax::text, id FROM t WHERE ctid = '(0,2)';
COMMIT;
-- as they are: the fetch of a dead version sets its hint bits, and its page is not pruned; a range prunes the pages that it reads
UPDATE t SET b = 'z' WHERE ctid IN ('(1,3)', '(1,4)');
UPDATE t SET b = xmin::text || '/' || ctid::text WHERE ctid = '(1,5)';
DELETE FROM t WHERE ctid = '(1,6)';
DELETE FROM t WHERE ctid = '(1,6)';
SELECT * FROM t WHERE ctid = '(1,3)';
SELECT * FROM t WHERE ctid >= '(1,0)' AND ctid < '(2,0)';
-- no place lies between these, and so no page is read
UPDATE t SET b = 'dead' WHERE id IN (2, 3);
SELECT count(*) FROM t WHERE ctid < '(0,0)';
SELECT count(*) FROM t WHERE ctid <= '(0,0)';
SELECT count(*) FROM t WHERE ctid > '(0,7)' AND ctid < '(0,8)';
SELECT count(*) FROM t WHERE ctid > '(4,3000)';
SELECT count(*) FROM t WHERE ctid >= '(4,2048)';
SELECT count(*) FROM t WHERE ctid < '(0,1)';
SELECT count(*) FROM t WHERE ctid < '(0,2)';
DELETE FROM t WHERE ctid > '(2,0)';
VACUUM (FREEZE) t;
INSERT INTO seen SELECT 'frozen', ctid::text, xmin::text, xmax::text, cmin::text, cmax::text, id FROM t WHERE ctid < '(0,9)';
-- a row that another session has changed is found at its new place, which is not the one that was asked for
BEGIN;
UPDATE t SET b = 'by 1' WHERE id = 2;
--@ session B
UPDATE t SET b = 'by b' WHERE ctid = '(0,2)';
--@ session A
COMMIT;
SELECT count(*) FROM t WHERE tableoid = 0 OR xmin = 1;
-- how a TID is read
INSERT INTO seen SELECT 'read', '( 0, +1) and so on'::tid::text, 'behind (7,008)'::tid::text, NULL, NULL, NULL, NULL;
SELECT '(0 ,1)'::tid;
SELECT ')(0,1)'::tid;
SELECT '(0,65536)'::tid;
CREATE TABLE copied AS SELECT ctid::text AS place, * FROM t ORDER BY id;
CREATE TABLE sorted AS SELECT * FROM t ORDER BY ctid DESC;
CREATE TABLE found AS SELECT * FROM t WHERE ctid IN ('(0,4)', '(0,7)');
