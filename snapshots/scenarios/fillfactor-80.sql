-- fillfactor 80: the same updates stay on their page, and no index is touched
--@ tables city
-- notes makes rows wide, so that eighteen of them fill a page
CREATE TABLE city (id int PRIMARY KEY, name varchar(20), people int, notes char(400) DEFAULT '') WITH (fillfactor = 80);
CREATE INDEX city_name ON city (name);
--@ quiet
INSERT INTO city VALUES
    (1, 'Oslo', 700), (2, 'Rome', 2800), (3, 'Paris', 2100), (4, 'Lima', 10000), (5, 'Cairo', 9800), (6, 'Delhi', 33000),
    (7, 'Bern', 134), (8, 'Athens', 640), (9, 'Tokyo', 14000), (10, 'Quito', 2000), (11, 'Lagos', 16000), (12, 'Hanoi', 8500),
    (13, 'Seoul', 9700), (14, 'Turin', 850), (15, 'Porto', 240), (16, 'Dakar', 3900), (17, 'Perth', 2300), (18, 'Miami', 450),
    (19, 'Osaka', 2700), (20, 'Kyoto', 1500), (21, 'Milan', 1370), (22, 'Sofia', 1290), (23, 'Riga', 610), (24, 'Accra', 2600),
    (25, 'Dubai', 3600), (26, 'Doha', 1200), (27, 'Havana', 2100), (28, 'Bogota', 7900), (29, 'Manila', 1850), (30, 'Mumbai', 12500),
    (31, 'Minsk', 2000), (32, 'Kyiv', 2950), (33, 'Lyon', 520), (34, 'Malmo', 360), (35, 'Basel', 178), (36, 'Salta', 620);
--@ capture INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Rome', 2800), ... (36 rows)
UPDATE city SET people = people + 1 WHERE id IN (1, 2, 3);
--@ capture
UPDATE city SET people = people + 1 WHERE id IN (20, 21, 22);
--@ capture
SELECT name FROM city WHERE id = 1;
--@ capture
SELECT name FROM city WHERE id = 20;
--@ capture
VACUUM city;
--@ capture
