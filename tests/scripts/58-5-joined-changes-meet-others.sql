-- A row of a join that another transaction has changed: its newest version with the same rows of the other tables, where
-- they still belong together. Triggers and foreign keys beside joins.
CREATE TABLE t (id int PRIMARY KEY, k int, v int);
CREATE TABLE u (id int PRIMARY KEY, k int, n int);
INSERT INTO t SELECT g, g % 4, 0 FROM generate_series(1, 12) g;
INSERT INTO u SELECT g, g, g * 10 FROM generate_series(1, 3) g;
VACUUM ANALYZE t; VACUUM ANALYZE u;
BEGIN;
UPDATE t SET v = 5 WHERE id = 2;
--@ session B
UPDATE t SET v = t.v + u.n FROM u WHERE t.k = u.k AND t.id < 4 RETURNING t.id, t.v, u.n;
--@ session A
COMMIT;
SELECT * FROM t WHERE id < 4 ORDER BY id;
BEGIN;
UPDATE t SET k = 0 WHERE id = 5;
--@ session B
DELETE FROM t USING u WHERE t.k = u.k AND t.id < 7 RETURNING t.id, u.id;
--@ session A
COMMIT;
SELECT * FROM t ORDER BY id;
BEGIN;
DELETE FROM t WHERE id = 9;
--@ session B
UPDATE t SET v = -u.n FROM u WHERE t.k = u.k;
--@ session A
COMMIT;
SELECT * FROM t ORDER BY id;
BEGIN;
UPDATE t SET v = 77 WHERE id = 10;
--@ session B
UPDATE t SET v = v + 1 WHERE id IN (SELECT id FROM t WHERE id > 7 ORDER BY id DESC LIMIT 3 FOR UPDATE) RETURNING id, v;
--@ session A
COMMIT;
SELECT * FROM t ORDER BY id;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM t;
--@ session B
UPDATE t SET v = 0 WHERE id = 10;
--@ session A
UPDATE t SET v = u.n FROM u WHERE t.k = u.k;
ROLLBACK;
-- triggers, foreign keys, generated columns
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int PRIMARY KEY, p_id int REFERENCES p ON DELETE CASCADE, v int);
INSERT INTO p SELECT generate_series(1, 8);
INSERT INTO c SELECT g, 1 + g % 8, g FROM generate_series(1, 20) g;
UPDATE c SET p_id = u.k FROM u WHERE c.id = u.id + 4;
DELETE FROM p USING u WHERE p.id = u.k + 2;
UPDATE c SET p_id = 100 FROM u WHERE c.id = u.id + 10;
SELECT * FROM c ORDER BY id;
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.v := NEW.v + 1000; RETURN NEW; END $$;
CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();
UPDATE t SET v = u.n FROM u WHERE t.k = u.k RETURNING t.id, t.v;
CREATE TABLE g (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED);
INSERT INTO g VALUES (1, 1), (2, 2), (3, 3);
UPDATE g SET a = u.n FROM u WHERE g.id = u.id RETURNING *;
UPDATE g SET a = DEFAULT FROM u WHERE g.id = u.id AND u.n > 10;
UPDATE g SET nosuch = 1 FROM u WHERE g.id = u.id;
UPDATE g SET a = count(*) FROM u WHERE g.id = u.id;
UPDATE g SET b = 3 FROM u WHERE g.id = u.id;
DELETE FROM g USING nosuch WHERE g.id = nosuch.id;
DELETE FROM g USING u WHERE g.id = u.nosuch;
DELETE FROM g USING g WHERE true;
UPDATE g SET a = 1 FROM u WHERE g.id = u.id RETURNING nosuch;
SELECT * FROM g ORDER BY id;
