-- EXPLAIN (ANALYZE, BUFFERS) of a join tells the blocks of each node, those of an index scan for all rows of the outer side together.
CREATE TABLE a (id int PRIMARY KEY, v text);
CREATE TABLE b (id int PRIMARY KEY, a_id int, w text);
CREATE INDEX ON b (a_id);
INSERT INTO a SELECT g, 'a' || g FROM generate_series(1, 1000) g;
INSERT INTO b SELECT g, CASE WHEN g % 7 > 0 THEN g * 13 % 900 END, 'b' || g FROM generate_series(1, 4000) g;
ANALYZE a;
ANALYZE b;
SELECT count(*) FROM a JOIN b ON b.a_id = a.id;
SELECT count(*) FROM a JOIN b ON b.a_id = a.id WHERE a.id < 5;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a.id, b.id FROM a JOIN b ON b.a_id = a.id;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a.id, b.w FROM a JOIN b ON b.a_id = a.id WHERE a.id < 5;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a.v, b.w FROM a JOIN b ON b.id = a.id WHERE a.id < 20;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM b JOIN a ON b.a_id = a.id WHERE b.id < 10;
VACUUM a;
VACUUM b;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a.id, b.a_id FROM a JOIN b ON b.a_id = a.id WHERE a.id < 5;
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a.id, b.id FROM a JOIN b ON b.id = a.id WHERE a.id < 50;
