-- FOREACH over the elements of an array (exec_stmt_foreach_a, pl_exec.c); defaults of arguments of functions in SQL.
CREATE TABLE t (a int PRIMARY KEY, b text);
CREATE TABLE u (a int PRIMARY KEY, b text);
DO $$
DECLARE
  name text;
  n int;
  total int := 0;
BEGIN
  FOREACH name IN ARRAY ARRAY['t', 'u'] LOOP
    FOR n IN 1..3 LOOP
      EXECUTE format('INSERT INTO %I VALUES (%s, %L)', name, n, name || n);
    END LOOP;
  END LOOP;
  FOREACH n IN ARRAY '{4,5,NULL}'::int[] LOOP
    CONTINUE WHEN n IS NULL;
    total := total + n;
    INSERT INTO t VALUES (n, 'more');
    EXIT WHEN n = 5;
  END LOOP;
  INSERT INTO u VALUES (total, CASE WHEN found THEN 'found' ELSE 'not found' END);
END $$;
SELECT ctid, * FROM t;
SELECT ctid, * FROM u;
DO $$ DECLARE n int; BEGIN FOREACH n IN ARRAY NULL::int[] LOOP END LOOP; END $$;
DO $$ DECLARE n int; BEGIN FOREACH n IN ARRAY 5 LOOP END LOOP; END $$;
CREATE FUNCTION of_t(low int DEFAULT 2, word text = 'more') RETURNS TABLE (a int, b text) LANGUAGE sql AS 'SELECT t.a, t.b FROM t WHERE t.a >= low AND t.b <> word';
SELECT * FROM of_t();
SELECT * FROM of_t(1);
SELECT * FROM of_t(1, 't1');
CREATE FUNCTION wrong(a int DEFAULT 1, b int) RETURNS int LANGUAGE sql AS 'SELECT 1';
