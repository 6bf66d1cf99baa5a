-- A HOT chain: it grows, is pruned, and its line pointers are used again
--@ tables city
CREATE TABLE city (id int PRIMARY KEY, name varchar(20), people int);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Rome', 2800);
--@ capture Two rows: line pointers 1 and 2, and an index entry for each
UPDATE city SET people = 701 WHERE id = 1;
--@ capture
UPDATE city SET people = 702 WHERE id = 1;
--@ capture
UPDATE city SET people = 703 WHERE id = 1;
--@ capture
VACUUM city;
--@ capture
UPDATE city SET people = 2801 WHERE id = 2;
--@ capture
