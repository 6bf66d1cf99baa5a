-- MERGE within WITH, from 17 on.
CREATE TABLE stock (item text PRIMARY KEY, qty int NOT NULL);
CREATE TABLE delivery (item text, delta int);
INSERT INTO stock VALUES ('bolt', 100), ('nut', 50), ('screw', 0);
WITH m AS (MERGE INTO stock s USING (VALUES ('gear')) v(item) ON v.item = s.item WHEN NOT MATCHED THEN INSERT VALUES (v.item, 1) RETURNING s.*)
SELECT * FROM m;
WITH m AS (MERGE INTO stock s USING (VALUES ('gear'), ('wheel')) v(item) ON v.item = s.item
    WHEN MATCHED THEN UPDATE SET qty = s.qty + 1 WHEN NOT MATCHED THEN INSERT VALUES (v.item, 1))
SELECT 1 AS one;
SELECT ctid, * FROM stock;
VACUUM stock;
