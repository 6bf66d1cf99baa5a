-- WAL record by record: the first UPDATE after a checkpoint costs a page
--@ tables account
--@ wal
CREATE TABLE account (id int PRIMARY KEY, owner text, balance int) WITH (fillfactor = 90);
INSERT INTO account SELECT g, 'customer ' || g, 1000 FROM generate_series(1, 60) AS g;
SELECT count(*) FROM account;
--@ capture
CHECKPOINT;
UPDATE account SET balance = 990 WHERE id = 1;
--@ capture
UPDATE account SET balance = 980 WHERE id = 1;
--@ capture
BEGIN;
UPDATE account SET balance = balance - 100 WHERE id = 2;
UPDATE account SET balance = balance + 100 WHERE id = 3;
COMMIT;
--@ capture
BEGIN;
DELETE FROM account WHERE id = 4;
ROLLBACK;
--@ capture
CREATE INDEX account_balance ON account (balance);
--@ capture
UPDATE account SET balance = 0 WHERE id = 5;
--@ capture
INSERT INTO account SELECT g, 'customer ' || g, 1000 FROM generate_series(61, 70) AS g;
--@ capture
DELETE FROM account WHERE id > 60;
--@ capture
VACUUM account;
--@ capture
