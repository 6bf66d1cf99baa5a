-- DELETE leaves the row in place; VACUUM takes it away; INSERT uses its line pointer again
--@ tables city
CREATE TABLE city (id int PRIMARY KEY, name varchar(20));
--@ quiet
INSERT INTO city VALUES (1, 'Oslo'), (2, 'Rome'), (3, 'Paris'), (4, 'Lima'), (5, 'Cairo');
--@ capture
DELETE FROM city WHERE id = 2;
--@ capture
BEGIN; DELETE FROM city WHERE id = 3; ROLLBACK;
--@ capture
SELECT count(*) FROM city;
--@ capture
VACUUM city;
--@ capture
INSERT INTO city VALUES (6, 'Delhi');
--@ capture
INSERT INTO city VALUES (7, 'Bern');
--@ capture
DELETE FROM city WHERE id >= 5;
--@ capture
VACUUM city;
--@ capture
DELETE FROM city;
--@ capture
VACUUM city;
--@ capture
