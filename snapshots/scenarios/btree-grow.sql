-- A B-tree grows from nothing: first root, leaf split, root split, page deletion
--@ tables city
-- wide keys, so that five fill a page; PLAIN keeps PostgreSQL from compressing the blanks
CREATE TABLE city (name char(1600));
ALTER TABLE city ALTER name SET STORAGE PLAIN;
CREATE INDEX city_name ON city (name);
--@ capture CREATE INDEX city_name ON city (name)
INSERT INTO city VALUES ('Oslo');
--@ capture
INSERT INTO city VALUES ('Lima'), ('Cairo'), ('Tokyo'), ('Paris');
--@ capture
INSERT INTO city VALUES ('Delhi');
--@ capture
INSERT INTO city VALUES ('Rome'), ('Seoul');
--@ capture
INSERT INTO city VALUES ('Athens'), ('Bern');
--@ capture
INSERT INTO city VALUES ('Dakar'), ('Quito'), ('Hanoi'), ('Kyoto');
--@ capture
INSERT INTO city VALUES ('Turin'), ('Zagreb'), ('Vienna'), ('Seattle'), ('Riga');
--@ capture
INSERT INTO city VALUES ('Porto');
--@ capture
INSERT INTO city VALUES ('Perth');
--@ capture
DELETE FROM city WHERE name < 'Delhi';
--@ capture
VACUUM city;
--@ capture
