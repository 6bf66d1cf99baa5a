-- Equalities come behind the other conditions (process_equivalence), and of a row those are asked first that cost least (order_qual_clauses): what is asked later may not be reached, nor its value read from the TOAST table. IN of arrays is one equality each.
CREATE TABLE t (a int, b int, c text, d int[], e int NOT NULL, f text);
CREATE INDEX t_a ON t (a);
INSERT INTO t SELECT g, g % 10, 'c' || g % 3, ARRAY[1, 2], g % 10, 'f' FROM generate_series(1, 200) g;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE a > 1 AND a > 1 AND b = 2 AND b = 2;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE a = 5 AND b > 3 AND b = 5;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE b = 5 AND c = 'x' AND e = 5 AND b <> 7;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE a = b AND b > 3 AND e = b;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE a + b = 5 AND 5 = b AND b = 5 AND c > 'x';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE b = b AND e = e AND c > 'x';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE b = 5::bigint AND e = 5 AND c > 'x' AND xmin = 5 AND ctid = '(0,1)';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE b IN (1, 2, b) AND d IN ('{1}', '{2}');
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE d NOT IN ('{1}', '{2}') AND b > 3 AND d = '{}';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE d IN ('{1}', d, '{2}');
EXPLAIN (COSTS OFF) UPDATE t SET b = 1 WHERE b = 3 AND a % 2 = 0 AND a BETWEEN 5 AND 9;
SELECT * FROM t WHERE d IN ('{1}', '{1,2}') AND a < 3;
-- it cannot be both
DELETE FROM t WHERE a > 190;
SELECT count(*) FROM t WHERE b = 3 AND b = 4;
SELECT count(*) FROM t WHERE b = 3 AND e = 4 AND e = b AND a > 5;
UPDATE t SET c = 'none' WHERE a = 5 AND a = 7;
SELECT count(*) FROM t WHERE b = 3 AND b = 3;
-- an error that nothing comes to
SELECT a FROM t WHERE b = 0 AND 10 / b > 1;
SELECT a FROM t WHERE 10 / b > 1 AND b > 0;
SELECT a FROM t WHERE 10 / b > 1 AND b = 5 AND a < 20;
SELECT a FROM t WHERE 10 / b > 1 AND (b + 0) % 10 > 0;
SELECT a FROM t WHERE b > 0 AND 10 / (b - 5) > 1;
UPDATE t SET c = 'x' WHERE 10 / b = 2 AND b = 5;
-- a value out of line is read when the row has passed what costs less
CREATE TABLE w (a int, b text);
INSERT INTO w SELECT 1, string_agg(md5((1000 + h)::text), '') FROM generate_series(1, 200) h;
INSERT INTO w SELECT 2, string_agg(md5(h::text), '') FROM generate_series(1, 200) h;
DELETE FROM w WHERE a = 2;
SELECT a FROM w WHERE length(b) > 5 AND a = 7;
INSERT INTO w SELECT 3, string_agg(md5(h::text), '') FROM generate_series(1, 200) h;
SELECT a FROM w WHERE length(b) > 5 AND a = 7;
SELECT a FROM w WHERE length(b) > 5 AND a = 3;
SELECT a FROM w WHERE length(b) > 5 AND a IN (1, 2);
