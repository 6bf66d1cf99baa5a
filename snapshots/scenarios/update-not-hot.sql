-- Two reasons why an UPDATE is not HOT: no room on the page, or an indexed column changed
--@ tables city
-- notes makes rows wide, so that seven of them fill a page
CREATE TABLE city (id int PRIMARY KEY, name varchar(20), people int, notes char(1000) DEFAULT '');
CREATE INDEX city_people ON city (people);
--@ quiet
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Rome', 2800), (3, 'Paris', 2100), (4, 'Lima', 10000), (5, 'Cairo', 9800), (6, 'Delhi', 33000), (7, 'Bern', 134);
--@ capture
UPDATE city SET name = 'Berne' WHERE id = 7;
--@ capture
UPDATE city SET name = 'Berna' WHERE id = 7;
--@ capture
UPDATE city SET people = 135 WHERE id = 7;
--@ capture
VACUUM city;
--@ capture
