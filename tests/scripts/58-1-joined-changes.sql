-- UPDATE … FROM and DELETE … USING are joined as SELECT is, and change rows in the order in which the join gives them.
CREATE TABLE t (id int PRIMARY KEY, a int, b text);
CREATE TABLE u (id int PRIMARY KEY, a int, t_id int, note text);
CREATE TABLE w (id int PRIMARY KEY, u_id int, c int);
CREATE INDEX ON u (t_id);
INSERT INTO t SELECT g, g % 7, 'b' || g FROM generate_series(1, 300) g;
INSERT INTO u SELECT g, g % 5, 1 + g % 250, 'n' || g FROM generate_series(1, 600) g;
INSERT INTO w SELECT g, 601 - g, g % 3 FROM generate_series(1, 200) g;
ANALYZE t; ANALYZE u; ANALYZE w;
-- three tables, LEFT JOIN, a query in FROM, VALUES
EXPLAIN (COSTS OFF) UPDATE t SET b = u.note FROM u, w WHERE u.t_id = t.id AND w.u_id = u.id AND w.c = 1;
EXPLAIN UPDATE t SET b = u.note FROM u WHERE u.t_id = t.id AND u.id < 20;
EXPLAIN UPDATE t SET b = u.note FROM u WHERE u.t_id = t.id;
EXPLAIN DELETE FROM t USING u WHERE u.t_id = t.id AND u.a = 3;
EXPLAIN DELETE FROM t USING u JOIN w ON w.u_id = u.id WHERE u.t_id = t.id AND w.c = 2;
EXPLAIN UPDATE t SET a = u.a FROM u LEFT JOIN w ON w.u_id = u.id WHERE u.t_id = t.id AND u.id > 500;
EXPLAIN DELETE FROM t USING (VALUES (3), (9), (4)) v (k) WHERE t.id = v.k;
EXPLAIN (COSTS OFF) DELETE FROM t USING t s WHERE s.a = t.a AND s.id < t.id;
UPDATE t SET b = u.note FROM u, w WHERE u.t_id = t.id AND w.u_id = u.id AND w.c = 1;
UPDATE t SET a = u.a FROM u LEFT JOIN w ON w.u_id = u.id WHERE u.t_id = t.id AND u.id > 580 RETURNING t.id, u.id, w.id;
UPDATE t SET a = s.m FROM (SELECT t_id, max(a) AS m FROM u WHERE id < 30 GROUP BY t_id) AS s WHERE t.id = s.t_id;
UPDATE t SET b = v.b FROM (VALUES (3, 'x'), (9, 'y'), (4, 'z'), (3, 'again')) v (k, b) WHERE t.id = v.k RETURNING *;
UPDATE t SET b = v.b FROM (VALUES (7, 'one')) v (k, b) WHERE t.id = v.k RETURNING t.*, v.k;
UPDATE t SET a = s.a FROM (SELECT id, a FROM u WHERE a = 2) AS s WHERE t.id = s.id AND t.id < 40;
UPDATE t SET a = n FROM generate_series(5, 9) n WHERE t.id = n;
DELETE FROM t USING u WHERE t.id = u.id AND t.a IS NOT DISTINCT FROM u.a;
DELETE FROM u USING t LEFT JOIN w ON w.id = t.id WHERE u.t_id = t.id AND t.a = 6 AND w.c = 0;
-- rows of equal keys
CREATE TABLE f (name text, colour text, n int);
INSERT INTO f SELECT 'f' || g % 4, 'c' || g % 3, g FROM generate_series(1, 40) g;
DELETE FROM f a USING f b WHERE a.ctid < b.ctid AND a.name = b.name AND a.colour = b.colour;
DELETE FROM f a USING f b WHERE a.n > b.n AND a.name = b.name RETURNING a.*, b.n;
SELECT * FROM f ORDER BY n;
SELECT count(*), sum(a) FROM t;
SELECT count(*) FROM u;
