-- Deduplication merges equal keys; bottom-up deletion (14 and later) removes entries of old versions before a page would split
--@ tables city
-- wide keys, so that fifteen fill a page
CREATE TABLE city (name varchar(20), people int, country char(500));
CREATE INDEX city_country ON city (country);
CREATE INDEX city_people ON city (people);
--@ quiet
INSERT INTO city VALUES ('Oslo', 1, 'Norway'), ('Bergen', 2, 'Norway'), ('Rome', 3, 'Italy'), ('Turin', 4, 'Italy'), ('Milan', 5, 'Italy'), ('Lima', 6, 'Peru'), ('Cusco', 7, 'Peru'), ('Osaka', 8, 'Japan'), ('Kyoto', 9, 'Japan'), ('Tokyo', 10, 'Japan'), ('Bern', 11, 'Suisse'), ('Basel', 12, 'Suisse'), ('Porto', 13, 'Portugal'), ('Lisbon', 14, 'Portugal'), ('Quito', 15, 'Ecuador');
--@ capture
INSERT INTO city VALUES ('Faro', 16, 'Portugal');
--@ capture
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
--@ capture
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
--@ capture UPDATE city SET people = people + 100 WHERE name = 'Oslo', six more times
UPDATE city SET people = people + 100 WHERE name = 'Oslo';
--@ capture
VACUUM city;
--@ capture
