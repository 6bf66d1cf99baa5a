-- UPDATE … FROM and DELETE … USING whose rows have several partners, or come in the order of a query: the way to join
-- is planned as that of MERGE; a queue of jobs, taken by FOR UPDATE SKIP LOCKED within WITH.
CREATE TABLE fruits (name text, colour text, price int);
INSERT INTO fruits VALUES ('apple', 'red', 1), ('apple', 'red', 2), ('pear', 'green', 3), ('apple', 'red', 4), ('pear', 'green', 5), ('plum', 'blue', 6);
DELETE FROM fruits a USING fruits b WHERE a.ctid < b.ctid AND a.name = b.name AND a.colour = b.colour;
SELECT ctid, xmin, * FROM fruits;
INSERT INTO fruits SELECT * FROM fruits;
DELETE FROM fruits a USING fruits b WHERE a.name = b.name AND a.ctid > b.ctid RETURNING a.*;
CREATE TABLE jobs (id serial PRIMARY KEY, status text NOT NULL DEFAULT 'new', attempts int DEFAULT 0, payload text);
INSERT INTO jobs (payload) SELECT 'job ' || g FROM generate_series(1, 200) g;
WITH next AS (SELECT id FROM jobs WHERE status = 'new' ORDER BY id LIMIT 5 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET status = 'running', attempts = attempts + 1 FROM next n WHERE j.id = n.id RETURNING j.id, j.payload, n.id AS taken;
WITH next AS (SELECT id FROM jobs WHERE status = 'new' ORDER BY id DESC LIMIT 3 FOR UPDATE SKIP LOCKED) UPDATE jobs SET status = 'running' FROM next WHERE jobs.id = next.id RETURNING jobs.id;
WITH old AS (SELECT id FROM jobs WHERE status = 'running' ORDER BY id) DELETE FROM jobs USING old WHERE jobs.id = old.id AND jobs.attempts > 0 RETURNING *;
SELECT count(*), min(ctid), max(ctid) FROM jobs;
CREATE TABLE prices (name text PRIMARY KEY, price int);
INSERT INTO prices VALUES ('apple', 10), ('pear', 20), ('plum', 30), ('quince', 40);
UPDATE fruits SET price = p.price FROM prices p WHERE p.name = fruits.name AND p.price < 25 RETURNING fruits.name, fruits.price, p.price;
UPDATE fruits SET price = p.price FROM prices p WHERE p.name = fruits.name AND fruits.colour = 'blue';
CREATE TABLE changes (name text, price int);
INSERT INTO changes VALUES ('apple', 11), ('apple', 12), ('plum', 31), ('plum', 32);
UPDATE prices SET price = c.price FROM changes c WHERE c.name = prices.name RETURNING *;
SELECT ctid, * FROM prices;
SELECT ctid, * FROM fruits;
-- a query of WITH that locks rows waits for another session when it comes to them
BEGIN;
UPDATE jobs SET attempts = 7 WHERE id = 9;
--@ session B
WITH next AS (SELECT id FROM jobs WHERE status = 'new' ORDER BY id LIMIT 3 FOR UPDATE) UPDATE jobs SET status = 'late' FROM next WHERE jobs.id = next.id RETURNING jobs.id, jobs.attempts;
--@ session A
COMMIT;
--@ session B
SELECT ctid, xmin, id, status, attempts FROM jobs WHERE id BETWEEN 6 AND 12 ORDER BY id;
