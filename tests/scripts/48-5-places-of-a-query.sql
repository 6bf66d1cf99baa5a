-- Rows at the places that a query finds are read by these places: nothing is pruned, and no other page is read.
CREATE TABLE q (id int PRIMARY KEY, state text);
INSERT INTO q SELECT g, CASE WHEN g % 50 = 0 THEN 'new' ELSE 'done' END FROM generate_series(1, 3000) g;
DELETE FROM q WHERE id % 7 = 0;
VACUUM ANALYZE q;
DELETE FROM q WHERE ctid = ANY (ARRAY(SELECT ctid FROM q WHERE state = 'new' LIMIT 5));
UPDATE q SET state = 'run' WHERE ctid = ANY (ARRAY(SELECT ctid FROM q WHERE state = 'new' ORDER BY id LIMIT 3)) RETURNING id;
SELECT count(*) FROM q;
