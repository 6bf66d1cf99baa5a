-- Functions and procedures of PL/pgSQL (plpgsql_call_handler, src/pl/plpgsql/src/pl_handler.c; ExecuteCallStmt,
-- src/backend/commands/functioncmds.c).
CREATE TABLE log (id int PRIMARY KEY, msg text);
CREATE FUNCTION put(p_id int, p_msg text) RETURNS boolean LANGUAGE plpgsql AS $fn$
BEGIN
    INSERT INTO log VALUES (p_id, p_msg);
    RETURN true;
EXCEPTION WHEN unique_violation THEN
    RAISE NOTICE 'there is %: %', p_id, SQLERRM;
    RETURN false;
END $fn$;
SELECT put(1, 'one');
SELECT put(1, 'one again');
SELECT i, put(i, 'loop') FROM generate_series(1, 5) i;
SELECT xmin, cmin, ctid, * FROM log;
BEGIN;
SELECT put(100 + i % 70, 'x') FROM generate_series(0, 70) i;
INSERT INTO log VALUES (200, 'between');
-- a server counts the ids of transactions up to the last that has ended
SELECT put(201, 'last'), put(201, 'again');
COMMIT;
SELECT xmin, cmin, ctid, * FROM log WHERE id > 90;
CREATE FUNCTION many(n int) RETURNS void AS $$
DECLARE k int := n;
BEGIN
    WHILE k > 0 LOOP
        UPDATE log SET msg = msg || k WHERE id = k;
        k := k - 1;
    END LOOP;
END $$ LANGUAGE plpgsql;
SELECT many(3);
SELECT many('ten');
SELECT many(NULL);
SELECT many(1, 2);
CREATE OR REPLACE FUNCTION double(x int) RETURNS int STRICT LANGUAGE plpgsql AS $$ BEGIN RETURN x * 2; END $$;
SELECT double(21), double(NULL) IS NULL, double(double(2));
INSERT INTO log SELECT double(id), 'doubled' FROM log WHERE id BETWEEN 4 AND 5;
UPDATE log SET msg = msg || double(id) WHERE double(id) = 8;
SELECT xmin, cmin, ctid, * FROM log WHERE id < 20;
CREATE FUNCTION div0() RETURNS int AS $$ BEGIN RETURN 1 / 0; EXCEPTION WHEN division_by_zero THEN RETURN NULL; END $$
LANGUAGE plpgsql;
SELECT div0() IS NULL;
CREATE FUNCTION nothing() RETURNS int AS $$ BEGIN NULL; END $$ LANGUAGE plpgsql;
SELECT nothing();
CREATE FUNCTION purge(batch int) RETURNS int LANGUAGE plpgsql AS $f$
DECLARE total int := 0; n int;
BEGIN
    LOOP
        DELETE FROM log WHERE id IN (SELECT id FROM log WHERE id > 100 LIMIT batch);
        GET DIAGNOSTICS n = ROW_COUNT;
        EXIT WHEN n = 0;
        total := total + n;
    END LOOP;
    RETURN total;
END $f$;
SELECT purge(20);
VACUUM log;
-- procedures
CREATE PROCEDURE refill(n int) LANGUAGE plpgsql AS $p$
BEGIN
    FOR i IN 1..n LOOP
        INSERT INTO log VALUES (1000 + i, 'p' || i);
        IF i % 10 = 0 THEN COMMIT; END IF;
    END LOOP;
END $p$;
CALL refill(35);
BEGIN;
DELETE FROM log WHERE id > 1000;
CALL refill(10);
ROLLBACK;
SELECT count(*), count(DISTINCT xmin::text) FROM log WHERE id > 1000;
CALL double(1);
SELECT refill(1);
CALL nowhere();
DROP FUNCTION refill(int);
DROP PROCEDURE refill(int);
DROP FUNCTION double(int), many;
CREATE TABLE later (id int PRIMARY KEY);
INSERT INTO later VALUES (1);
