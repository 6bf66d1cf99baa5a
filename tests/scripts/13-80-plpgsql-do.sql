-- Blocks of PL/pgSQL: variables, loops, conditions, rows, INTO (exec_stmt_block, src/pl/plpgsql/src/pl_exec.c).
CREATE TABLE t (id int PRIMARY KEY, n int, note text);
DO $$
DECLARE
    i int;
    total int := 0;
BEGIN
    FOR i IN 1..40 LOOP
        INSERT INTO t VALUES (i, i * 2, 'row ' || i);
    END LOOP;
    FOR i IN REVERSE 40..31 BY 3 LOOP
        DELETE FROM t WHERE id = i;
        IF NOT FOUND THEN RAISE EXCEPTION 'no row %', i; END IF;
        total := total + 1;
    END LOOP;
    INSERT INTO t VALUES (100, total, 'deleted');
END $$;
SELECT id, n, note, ctid, xmin, cmin FROM t ORDER BY id;
DO $$
DECLARE
    r record;
    k t.n%TYPE := 3;
    most t.id%type;
BEGIN
    FOR r IN SELECT * FROM t WHERE id < 10 ORDER BY id LOOP
        UPDATE t SET n = r.n + k, note = r.note || '!' WHERE id = r.id;
        CONTINUE WHEN r.id % 2 = 0;
        EXIT WHEN r.id > 6;
        INSERT INTO t VALUES (200 + r.id, k, NULL);
    END LOOP;
    SELECT max(id) INTO most FROM t;
    WHILE most > 203 LOOP
        DELETE FROM t WHERE id = most;
        SELECT max(id) INTO STRICT most FROM t;
    END LOOP;
    CASE k WHEN 1, 2 THEN UPDATE t SET n = -1 WHERE id = 20;
        WHEN 3 THEN UPDATE t SET n = -3 WHERE id = 21;
        ELSE NULL;
    END CASE;
    CASE WHEN k > 5 THEN NULL; WHEN k > 1 THEN UPDATE t SET n = 7 WHERE id = 22; END CASE;
END $$;
SELECT id, n, note, ctid, xmin, cmin FROM t ORDER BY id;
BEGIN;
DO $$
DECLARE
    added int;
    changed bigint;
BEGIN
    INSERT INTO t VALUES (300, 1, 'returned') RETURNING id + 1 INTO added;
    INSERT INTO t VALUES (added, added, NULL);
    UPDATE t SET n = n + 1 WHERE id >= added - 1;
    GET DIAGNOSTICS changed = ROW_COUNT;
    INSERT INTO t VALUES (310, changed, 'changed');
    PERFORM id FROM t WHERE id = 4711;
    IF FOUND THEN DELETE FROM t; ELSIF changed = 2 THEN DELETE FROM t WHERE id = 1; ELSE DELETE FROM t; END IF;
END $$;
INSERT INTO t VALUES (311, 0, 'after');
COMMIT;
SELECT id, n, note, ctid, xmin, cmin FROM t WHERE id >= 100 ORDER BY id;
-- a statement within EXECUTE, tables that are made and dropped
DO $$
DECLARE
    name text := 'made';
    many int;
BEGIN
    EXECUTE 'CREATE TABLE ' || name || ' (a int, b text)';
    FOR i IN 1..3 LOOP
        EXECUTE format('INSERT INTO %I SELECT g, $1 FROM generate_series(1, $2) g', name) USING 'x' || i, i;
    END LOOP;
    EXECUTE 'SELECT count(*) FROM made WHERE a = $1' INTO many USING 1;
    INSERT INTO made VALUES (many, 'many');
END $$;
SELECT *, ctid, cmin FROM made;
-- COMMIT and ROLLBACK
DO $$
BEGIN
    FOR i IN 400..409 LOOP
        INSERT INTO t VALUES (i, 0, NULL);
        IF i % 3 = 0 THEN COMMIT; ELSIF i % 3 = 1 THEN ROLLBACK; END IF;
    END LOOP;
END $$;
SELECT id, xmin, cmin, ctid FROM t WHERE id >= 400;
-- errors
DO $$ BEGIN INSERT INTO t VALUES (500, 1, NULL); RAISE EXCEPTION 'at % of %%', 5; END $$;
DO $$ DECLARE x int NOT NULL := 1; BEGIN x := NULL; END $$;
DO $$ DECLARE r record; BEGIN SELECT * INTO r FROM t WHERE id = 2; PERFORM r.count; END $$;
DO $$ DECLARE r record; BEGIN PERFORM r.id; END $$;
DO $$ DECLARE id int := 1; BEGIN DELETE FROM t WHERE id = 2; END $$;
DO $$ BEGIN SELECT 1; END $$;
DO $$ DECLARE x int; BEGIN SELECT id INTO STRICT x FROM t; END $$;
DO $$ DECLARE x int; BEGIN SELECT id INTO STRICT x FROM t WHERE id = -1; END $$;
DO $$ DECLARE x smallint := 70000; BEGIN NULL; END $$;
DO $$ DECLARE x int; BEGIN x := 'twelve'; END $$;
DO $$ BEGIN CASE 5 WHEN 4 THEN NULL; END CASE; END $$;
DO $$ BEGIN ASSERT 1 = 2, 'not so'; END $$;
DO $$ BEGIN RAISE division_by_zero; END $$;
DO $$ BEGIN RAISE 'x' USING ERRCODE = 'unique_violation'; END $$;
DO $$ BEGIN SAVEPOINT a; END $$;
DO $$ BEGIN VACUUM t; END $$;
DO $$ BEGIN y := 1; END $$;
DO $$ BEGIN EXIT; END $$;
DO $$ BEGIN RAISE NOTICE '%'; END $$;
BEGIN;
DO $$ BEGIN INSERT INTO t VALUES (501, 1, NULL); COMMIT; END $$;
ROLLBACK;
SELECT count(*) FROM t;
