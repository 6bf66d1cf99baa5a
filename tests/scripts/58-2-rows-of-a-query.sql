-- A query in WHERE is joined to the table that is changed: the order of its rows is that of the join.
CREATE TABLE q (id int PRIMARY KEY, state text, prio int);
CREATE TABLE p (id int PRIMARY KEY, q_id int, n int);
INSERT INTO q SELECT g, 'new', g * 37 % 100 FROM generate_series(1, 1000) g;
INSERT INTO p SELECT g, g * 3, g % 4 FROM generate_series(1, 300) g;
ANALYZE q; ANALYZE p;
EXPLAIN DELETE FROM q WHERE id IN (SELECT q_id FROM p);
EXPLAIN DELETE FROM q WHERE id IN (SELECT q_id FROM p WHERE n = 1 AND id < 20);
EXPLAIN UPDATE q SET state = 'x' WHERE NOT EXISTS (SELECT FROM p WHERE p.q_id = q.id);
UPDATE q SET state = 'run' WHERE id IN (SELECT id FROM q WHERE state = 'new' ORDER BY prio, id LIMIT 7) RETURNING id;
UPDATE q SET state = 'run' WHERE id IN (SELECT id FROM q WHERE state = 'new' ORDER BY prio DESC, id LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING id, prio;
DELETE FROM q WHERE id IN (SELECT id FROM q ORDER BY prio, id DESC LIMIT 10) RETURNING id;
DELETE FROM q WHERE id IN (SELECT q_id FROM p WHERE n = 1 AND id < 20) RETURNING id;
UPDATE q SET state = 'none' WHERE NOT EXISTS (SELECT FROM p WHERE p.q_id = q.id) AND id < 50;
DELETE FROM q WHERE EXISTS (SELECT FROM p WHERE p.q_id = q.id AND p.n = 2);
WITH gone AS (SELECT id FROM q WHERE state = 'none' ORDER BY id DESC LIMIT 4) DELETE FROM q USING gone WHERE q.id = gone.id RETURNING q.id;
WITH gone AS (SELECT id FROM q ORDER BY prio LIMIT 4 FOR UPDATE) UPDATE q SET prio = 0 FROM gone WHERE q.id = gone.id RETURNING q.id;
WITH gone AS (DELETE FROM p WHERE n = 3 RETURNING q_id) UPDATE q SET state = 'gone' FROM gone WHERE q.id = gone.q_id;
SELECT state, count(*) FROM q GROUP BY state ORDER BY state;
