-- Foreign keys say how many rows a join has, whatever statistics say of both columns: NULLs, common values.
CREATE TABLE team (id int PRIMARY KEY, name text);
CREATE TABLE person (id int PRIMARY KEY, team_id int REFERENCES team, boss_id int REFERENCES person, age int);
CREATE TABLE shift (team_id int, person_id int REFERENCES person, hours int);
INSERT INTO team SELECT g, 'team ' || g FROM generate_series(1, 20) g;
INSERT INTO person SELECT g, CASE WHEN g % 4 > 0 THEN 1 + g % 20 END, CASE WHEN g > 10 THEN g / 10 END, 20 + g % 40 FROM generate_series(1, 400) g;
INSERT INTO shift SELECT 1 + g % 7, 1 + g % 50, g % 12 FROM generate_series(1, 900) g;
EXPLAIN SELECT * FROM person p JOIN team t ON p.team_id = t.id;
ANALYZE team; ANALYZE person; ANALYZE shift;
EXPLAIN SELECT * FROM person p JOIN team t ON p.team_id = t.id;
EXPLAIN SELECT * FROM person p JOIN team t ON p.team_id = t.id WHERE t.id < 5;
EXPLAIN SELECT * FROM person p JOIN team t ON p.team_id = t.id WHERE p.age = 25;
EXPLAIN SELECT * FROM person p LEFT JOIN team t ON p.team_id = t.id;
EXPLAIN SELECT p.id, t.name FROM team t LEFT JOIN person p ON p.team_id = t.id;
EXPLAIN SELECT * FROM shift s JOIN person p ON s.person_id = p.id;
EXPLAIN SELECT * FROM shift s JOIN person p ON s.person_id = p.id JOIN team t ON t.id = p.team_id;
EXPLAIN SELECT t.name, count(*) FROM person p JOIN team t ON p.team_id = t.id GROUP BY t.name;
EXPLAIN SELECT * FROM person p WHERE EXISTS (SELECT FROM shift s WHERE s.person_id = p.id);
EXPLAIN SELECT * FROM person p WHERE NOT EXISTS (SELECT FROM shift s WHERE s.person_id = p.id);
EXPLAIN SELECT * FROM shift s JOIN person p ON s.person_id = p.id ORDER BY p.id LIMIT 5;
SELECT count(*), sum(s.hours) FROM shift s JOIN person p ON s.person_id = p.id JOIN team t ON t.id = p.team_id WHERE t.id < 6;
-- a table with itself
EXPLAIN SELECT p.id, b.id FROM person p JOIN person b ON p.boss_id = b.id;
EXPLAIN SELECT p.id, b.id FROM person p LEFT JOIN person b ON p.boss_id = b.id WHERE p.age > 50;
SELECT p.id, b.id AS boss FROM person p JOIN person b ON p.boss_id = b.id WHERE b.age > 25 AND p.id < 90;
EXPLAIN (COSTS OFF) SELECT count(*) FROM person p JOIN person o ON p.age = o.age;
SELECT count(*) FROM person p JOIN person o ON p.age = o.age;
-- a key that is not enforced says nothing
ALTER TABLE person DROP CONSTRAINT person_team_id_fkey;
EXPLAIN SELECT * FROM person p JOIN team t ON p.team_id = t.id;
