-- A HOT chain grows, is pruned, and its line pointers are used again
--@ tables city
-- notes makes rows wide, so that seven of them fill a page
CREATE TABLE city (id int PRIMARY KEY, name varchar(20), people int, notes char(1000));
--@ quiet
INSERT INTO city VALUES (1, 'Oslo', 700, 'capital'), (2, 'Rome', 2800, 'capital');
--@ capture
UPDATE city SET people = 701 WHERE id = 1;
--@ capture
UPDATE city SET people = 702 WHERE id = 1;
--@ capture
UPDATE city SET people = 703 WHERE id = 1;
--@ capture
UPDATE city SET people = 704 WHERE id = 1;
--@ capture
UPDATE city SET people = 705 WHERE id = 1;
--@ capture
SELECT name FROM city WHERE id = 2;
--@ capture
UPDATE city SET people = 706 WHERE id = 1;
--@ capture
UPDATE city SET people = 2801 WHERE id = 2;
--@ capture
VACUUM city;
--@ capture
