-- Items that are joined by what is computed of their columns, in UPDATE, DELETE and MERGE (which is there from 15 on).
CREATE TABLE t (id int PRIMARY KEY, name text, n int);
CREATE TABLE u (id int PRIMARY KEY, name text, n int);
INSERT INTO t SELECT g, 'name ' || g, g % 9 FROM generate_series(1, 150) g;
INSERT INTO u SELECT g, 'NAME ' || g * 2, g % 6 FROM generate_series(1, 120) g;
ANALYZE t; ANALYZE u;
EXPLAIN UPDATE t SET n = u.n FROM u WHERE lower(u.name) = t.name;
EXPLAIN DELETE FROM t USING u WHERE t.id = u.id + 100;
EXPLAIN (COSTS OFF) DELETE FROM t USING u WHERE t.id + 1 = u.id * 2 AND u.n = 3;
UPDATE t SET n = u.n FROM u WHERE lower(u.name) = t.name;
UPDATE t SET n = u.n + 10 FROM u WHERE t.id = u.id + 100 AND u.n < 4;
DELETE FROM t USING u WHERE t.id + 1 = u.id * 2 AND u.n = 3 RETURNING t.id, u.id;
UPDATE t SET name = u.name FROM u WHERE t.id = u.id AND upper(t.name) <> u.name AND u.id < 12;
UPDATE t SET n = t.n + v.m FROM (VALUES (1, 5), (2, 6), (3, 7)) v (k, m) WHERE t.id = v.k * 20;
UPDATE t SET n = -1 WHERE id IN (SELECT u.id * 2 FROM u WHERE u.n = 5);
MERGE INTO t USING u ON t.id = u.id + 40 WHEN MATCHED AND u.n = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET name = u.name WHEN NOT MATCHED THEN INSERT VALUES (u.id + 40, u.name, 0);
SELECT count(*), sum(n), max(id) FROM t;
