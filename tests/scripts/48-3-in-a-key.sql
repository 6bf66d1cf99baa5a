-- IN and EXISTS over a table's key are joins: a row has one partner at most there.
CREATE TABLE job (id int PRIMARY KEY, state text, grp int);
CREATE TABLE item (id int PRIMARY KEY, job int, q int);
INSERT INTO job SELECT g, CASE WHEN g % 10 = 0 THEN 'new' ELSE 'done' END, g % 20 FROM generate_series(1, 2000) g;
INSERT INTO item SELECT g, g * 7 % 2500 + 1, g % 7 FROM generate_series(1, 3000) g;
CREATE INDEX item_job ON item (job);
VACUUM ANALYZE job;
VACUUM ANALYZE item;
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE job IN (SELECT id FROM job WHERE state = 'new');
EXPLAIN SELECT * FROM item WHERE job IN (SELECT id FROM job WHERE state = 'new');
SELECT * FROM item WHERE job IN (SELECT id FROM job WHERE grp = 10 AND state = 'new') AND q = 3;
EXPLAIN (COSTS OFF) SELECT id, q FROM item i WHERE EXISTS (SELECT 1 FROM job j WHERE j.id = i.job AND j.grp = 5) AND i.id < 100;
SELECT id, q FROM item i WHERE EXISTS (SELECT 1 FROM job j WHERE j.id = i.job AND j.grp = 5) AND i.id < 100;
EXPLAIN SELECT * FROM item WHERE id = 9 AND job IN (SELECT id FROM job);
SELECT * FROM item WHERE id = 9 AND job IN (SELECT id FROM job);
SELECT count(*) FROM item WHERE job IN (SELECT id FROM job WHERE grp < 3);
EXPLAIN SELECT count(*) FROM item WHERE job IN (SELECT id FROM job WHERE grp < 3);
SELECT * FROM item WHERE job IN (SELECT job.id FROM job WHERE id < 4) ORDER BY item.id LIMIT 3;
