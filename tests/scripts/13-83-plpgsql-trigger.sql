-- Triggers: rows are locked before they see them, those after come at the statement's end (ExecBRUpdateTriggers,
-- AfterTriggerEndQuery, src/backend/commands/trigger.c).
CREATE TABLE t (id int PRIMARY KEY, n int, note text, changed int DEFAULT 0);
CREATE TABLE log (n serial PRIMARY KEY, op text, id int, was int, now int);
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.changed := OLD.changed + 1;
    END IF;
    IF NEW.n < 0 THEN RETURN NULL; END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION told() RETURNS trigger AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO log(op, id, was) VALUES (TG_OP, OLD.id, OLD.n);
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO log(op, id, was, now) VALUES (TG_OP || ' ' || TG_TABLE_NAME, NEW.id, OLD.n, NEW.n);
    ELSE
        INSERT INTO log(op, id, now) VALUES (lower(TG_WHEN), NEW.id, NEW.n);
    END IF;
    RETURN NULL;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER touches BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER tells AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE PROCEDURE told();
INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, -1, 'c'), (4, 40, 'd');
UPDATE t SET n = n + 1 WHERE id < 4;
UPDATE t SET n = -5 WHERE id = 4;
UPDATE t SET id = 5 WHERE id = 4;
DELETE FROM t WHERE id = 2;
SELECT *, ctid, xmin, xmax, cmin FROM t;
SELECT *, ctid, xmin, cmin FROM log;
BEGIN;
INSERT INTO t VALUES (10, 1, NULL);
UPDATE t SET note = 'within' WHERE id = 10;
UPDATE t SET note = 'within' WHERE id = 10;
DELETE FROM t WHERE id = 10;
COMMIT;
SELECT *, ctid, xmin, cmin FROM log;
INSERT INTO t VALUES (1, 7, 'again') ON CONFLICT (id) DO UPDATE SET n = excluded.n;
INSERT INTO t VALUES (20, 7, 'new') ON CONFLICT (id) DO UPDATE SET n = excluded.n;
SELECT *, ctid, xmin, xmax, cmin FROM t;
ALTER TABLE t DISABLE TRIGGER tells;
UPDATE t SET n = n WHERE id = 1;
ALTER TABLE t ENABLE TRIGGER tells;
CREATE TRIGGER skips BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
ALTER TABLE t DISABLE TRIGGER touches;
UPDATE t SET n = n;
SELECT *, ctid, xmin, xmax, cmin FROM t;
DROP TRIGGER skips ON t;
ALTER TABLE t ENABLE TRIGGER ALL;
-- WHEN, statements, deletes that are prevented
CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.note = 'kept' THEN RETURN NULL; END IF;
    RETURN OLD;
END $$;
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE many int;
BEGIN
    SELECT count(*) INTO many FROM t;
    INSERT INTO log(op, id) VALUES (TG_LEVEL || ' ' || TG_WHEN || ' ' || TG_OP, many);
    RETURN NULL;
END $$;
CREATE TRIGGER a_keeps BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION keeps();
CREATE TRIGGER counts_before BEFORE INSERT OR DELETE ON t EXECUTE FUNCTION counts();
CREATE TRIGGER counts_after AFTER DELETE ON t FOR EACH STATEMENT EXECUTE FUNCTION counts();
CREATE TRIGGER when_changed AFTER UPDATE ON t FOR EACH ROW WHEN (OLD.n IS DISTINCT FROM NEW.n) EXECUTE FUNCTION told();
INSERT INTO t VALUES (30, 1, 'kept'), (31, 2, 'gone');
UPDATE t SET note = note || '!' WHERE id = 31;
UPDATE t SET n = 3 WHERE id = 31;
DELETE FROM t WHERE id >= 30;
SELECT *, ctid, xmin, xmax, cmin FROM t;
SELECT *, ctid, xmin, cmin FROM log;
-- errors
CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE TRIGGER fails AFTER UPDATE ON t FOR EACH ROW WHEN (NEW.n = 99) EXECUTE FUNCTION fails();
UPDATE t SET n = 99 WHERE id = 1;
UPDATE t SET n = 98 WHERE id = 1;
DROP FUNCTION fails();
SELECT fails();
CREATE TRIGGER fails AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION fails();
DROP TRIGGER nowhere ON t;
DROP TABLE t;
CREATE TABLE later (id int PRIMARY KEY);
INSERT INTO later VALUES (1);
