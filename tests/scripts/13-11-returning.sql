-- RETURNING is computed row by row, once a row has its index entries; values from the TOAST table are read when all rows are done and foreign keys are checked.
CREATE TABLE p (id int PRIMARY KEY);
INSERT INTO p SELECT generate_series(1, 5) RETURNING *;
CREATE TABLE t (id serial PRIMARY KEY, p int REFERENCES p, b text, gone int, n int DEFAULT 7);
ALTER TABLE t DROP COLUMN gone;
INSERT INTO t (p, b) VALUES (1, 'a'), (2, 'b') RETURNING id, n, b || 'x' AS c;
INSERT INTO t (p, b) VALUES (9, 'a') RETURNING nextval('t_id_seq');
INSERT INTO t DEFAULT VALUES RETURNING ctid, tableoid, t.*;
UPDATE t SET b = 'c' WHERE id = 1 RETURNING nextval('t_id_seq'), id, ctid;
UPDATE t AS x SET b = 'd' RETURNING x.id, x.*;
DELETE FROM t WHERE id = 2 RETURNING *, ctid, xmin, xmax, cmin, cmax, tableoid;
DELETE FROM t WHERE id = 2 RETURNING 1 / 0;
UPDATE t SET b = 'e' RETURNING 1 / (id - 1);
-- values out of line: what an UPDATE leaves alone and what a DELETE has are read at the end
INSERT INTO t (p, b) SELECT 3, string_agg(md5(g::text), '') FROM generate_series(1, 300) g RETURNING b;
INSERT INTO t (p, b) SELECT 4, string_agg(md5(g::text), '') FROM generate_series(301, 700) g RETURNING length(b);
UPDATE t SET n = 8 RETURNING id, b;
UPDATE t SET n = 8 RETURNING length(b);
DELETE FROM t WHERE n = 8 AND p = 4 RETURNING *;
INSERT INTO t (id, p, b) VALUES (1, 1, 'a'), (100, 1, 'z') ON CONFLICT (id) DO NOTHING RETURNING id, nextval('t_id_seq');
INSERT INTO t (id, p, b) VALUES (1, 1, 'a'), (101, 1, 'z') ON CONFLICT (id) DO UPDATE SET b = excluded.b WHERE t.id < 5 RETURNING id, b, ctid, nextval('t_id_seq');
-- a row that has waited is given as it was found then
BEGIN;
UPDATE t SET b = 'by a' WHERE id = 1;
--@ session B
UPDATE t SET n = n + 1 WHERE id = 1 RETURNING b, ctid, nextval('t_id_seq');
--@ session A
COMMIT;
DELETE FROM t WHERE id > 2 RETURNING max(id);
INSERT INTO t (p) VALUES (1) RETURNING excluded.id;
INSERT INTO t (p) VALUES (1) RETURNING nothing;
SELECT count(*), max(id) FROM t;
