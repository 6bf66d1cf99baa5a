-- COPY FREEZE where another subtransaction than the one that copies made or truncated the table.
BEGIN;
CREATE TABLE outer_made (id int, t text);
COPY outer_made FROM stdin (FREEZE);
10	a
11	b
\.
SAVEPOINT s2;
TRUNCATE outer_made;
COPY outer_made FROM stdin (FREEZE);
12	c
\.
RELEASE s2;
COPY outer_made FROM stdin (FREEZE);
13	d
\.
COMMIT;
SELECT ctid, id FROM outer_made;
