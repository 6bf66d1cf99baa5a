-- What stands above a join of two tables: ORDER BY of columns and expressions, up and down, LIMIT, conditions above.
CREATE TABLE c (id int PRIMARY KEY, name text, city text);
CREATE TABLE o (id int PRIMARY KEY, c_id int, total int, note text);
CREATE INDEX ON o (c_id);
INSERT INTO c SELECT g, 'c' || g, CASE WHEN g % 3 > 0 THEN 'town ' || g % 5 END FROM generate_series(1, 300) g;
INSERT INTO o SELECT g, 1 + g % 250, g % 97, 'n' || g FROM generate_series(1, 1500) g;
ANALYZE c; ANALYZE o;
EXPLAIN SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY c.id, o.total DESC;
EXPLAIN SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY o.total DESC, c.id LIMIT 4;
EXPLAIN SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY c.id LIMIT 4;
EXPLAIN (COSTS OFF) SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY o.total + c.id LIMIT 4;
EXPLAIN (COSTS OFF) SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY c.id, o.total + 1;
SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY o.total + c.id, o.id LIMIT 4;
SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY o.total DESC, c.id, o.id LIMIT 4;
SELECT c.id, o.total FROM c JOIN o ON o.c_id = c.id ORDER BY c.id, o.total DESC LIMIT 4;
-- a condition above an outer join
EXPLAIN SELECT o.id FROM o LEFT JOIN c ON o.c_id = c.id WHERE c.city IS NULL;
EXPLAIN SELECT o.id FROM o LEFT JOIN c ON o.c_id = c.id WHERE c.city IS NULL AND o.id < 300;
EXPLAIN (COSTS OFF) SELECT o.id FROM o LEFT JOIN c ON o.c_id = c.id WHERE c.city IS NOT NULL;
EXPLAIN (COSTS OFF) SELECT c.id FROM c LEFT JOIN o ON o.c_id = c.id WHERE o.id IS NULL;
SELECT count(*) FROM o LEFT JOIN c ON o.c_id = c.id WHERE c.city IS NULL;
SELECT o.id FROM o LEFT JOIN c ON o.c_id = c.id WHERE c.city IS NULL AND o.id < 20;
-- columns that are constants, no condition at all, loops
EXPLAIN (COSTS OFF) SELECT * FROM c JOIN o ON o.c_id = c.id WHERE c.id = 7;
SELECT c.name, o.total FROM c JOIN o ON o.c_id = c.id WHERE c.id = 7;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT c.id, o.id FROM c, o WHERE c.name = o.note;
EXPLAIN (COSTS OFF) SELECT c.id, o.id FROM c, o WHERE o.note = c.name AND c.id < 10;
EXPLAIN (COSTS OFF) SELECT c.id, o.id FROM c LEFT JOIN o ON c.name = o.note WHERE c.id < 10;
SELECT c.id, o.id FROM c, o WHERE o.note = c.name AND c.id < 3;
