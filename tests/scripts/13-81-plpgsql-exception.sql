-- Blocks with EXCEPTION are subtransactions (BeginInternalSubTransaction, src/backend/access/transam/xact.c).
CREATE TABLE t (id int PRIMARY KEY, note text CHECK (note <> 'bad'));
DO $$
BEGIN
    FOR i IN 1..12 LOOP
        BEGIN
            INSERT INTO t VALUES (i / 2, 'row ' || i);
        EXCEPTION WHEN unique_violation THEN
            RAISE NOTICE 'again: % %', SQLERRM, SQLSTATE;
        END;
    END LOOP;
END $$;
SELECT id, note, ctid, xmin, cmin FROM t;
DO $$
BEGIN
    INSERT INTO t VALUES (20, 'outer');
    BEGIN
        INSERT INTO t VALUES (21, 'inner');
        BEGIN
            INSERT INTO t VALUES (22, 'innermost');
            PERFORM 1 / 0;
        EXCEPTION WHEN unique_violation OR check_violation THEN
            INSERT INTO t VALUES (23, 'not here');
        END;
    EXCEPTION
        WHEN division_by_zero THEN
            INSERT INTO t VALUES (24, 'divided');
            BEGIN
                INSERT INTO t VALUES (25, 'bad');
            EXCEPTION WHEN OTHERS THEN
                INSERT INTO t VALUES (26, SQLSTATE);
            END;
    END;
    INSERT INTO t VALUES (27, 'end');
END $$;
SELECT id, note, ctid, xmin, cmin FROM t WHERE id >= 20;
-- in a transaction block, and left by EXIT
BEGIN;
INSERT INTO t VALUES (30, 'before');
DO $$
BEGIN
    <<turns>>
    FOR i IN 31..40 LOOP
        BEGIN
            INSERT INTO t VALUES (i, 'turn');
            EXIT turns WHEN i = 36;
            CONTINUE turns WHEN i = 32;
            IF i % 2 = 1 THEN RAISE EXCEPTION 'odd' USING ERRCODE = '22012'; END IF;
            UPDATE t SET note = 'even' WHERE id = i;
        EXCEPTION WHEN SQLSTATE '22012' THEN
            UPDATE t SET note = 'odd ' || i WHERE id = 30;
        END;
    END LOOP;
    -- a server counts the ids of transactions up to the last that has ended
    BEGIN
        INSERT INTO t VALUES (30, 'again');
    EXCEPTION WHEN unique_violation THEN NULL;
    END;
END $$;
INSERT INTO t VALUES (41, 'after');
COMMIT;
SELECT id, note, ctid, xmin, cmin FROM t WHERE id >= 30;
-- many of them: ASSIGNMENT
DO $$
BEGIN
    FOR i IN 100..180 LOOP
        BEGIN
            INSERT INTO t VALUES (i, NULL);
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
END $$;
SELECT count(DISTINCT xmin::text) FROM t;
-- rows that are read on beside failing blocks
DO $$
DECLARE r record;
BEGIN
    FOR r IN SELECT id FROM t WHERE id < 10 LOOP
        BEGIN
            UPDATE t SET id = id + 1 WHERE id = r.id;
        EXCEPTION WHEN unique_violation THEN
            UPDATE t SET note = 'kept' WHERE id = r.id;
        END;
    END LOOP;
END $$;
SELECT id, note, ctid, xmin, cmin FROM t WHERE id < 10;
-- raised again
DO $$
BEGIN
    INSERT INTO t VALUES (200, 'x');
    BEGIN
        INSERT INTO t VALUES (200, 'x');
    EXCEPTION WHEN integrity_constraint_violation THEN
        RAISE;
    END;
END $$;
DO $$ BEGIN BEGIN RAISE SQLSTATE 'P0002'; EXCEPTION WHEN no_data_found THEN RAISE NOTICE 'none'; END; END $$;
DO $$ BEGIN BEGIN COMMIT; EXCEPTION WHEN OTHERS THEN RAISE; END; END $$;
DO $$
DECLARE state text; told text;
BEGIN
    INSERT INTO t VALUES (0, 'x');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, told = MESSAGE_TEXT;
    INSERT INTO t VALUES (201, state || told);
END $$;
SELECT note FROM t WHERE id = 201;
VACUUM t;
