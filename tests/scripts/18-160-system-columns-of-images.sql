-- RETURNING tells the system columns of the row before and after.
CREATE TABLE t (a int PRIMARY KEY, b int) WITH (autovacuum_enabled = off);
INSERT INTO t VALUES (1, 10), (2, 20) RETURNING old.ctid, new.ctid, new.tableoid::regclass;
UPDATE t SET b = b + 1 WHERE a = 1 RETURNING old.ctid, new.ctid, old.b, new.b, old.xmin = new.xmin AS same;
UPDATE t SET b = b + 1 RETURNING old.ctid, new.ctid, old.cmin, new.cmin, old.*, new.*;
INSERT INTO t VALUES (1, 5), (3, 30) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING old.ctid, new.ctid, old.b, new.b;
DELETE FROM t WHERE a = 2 RETURNING old.ctid, new.ctid, old.tableoid::regclass, new.tableoid::regclass;
UPDATE t SET b = b RETURNING with (OLD AS o, NEW AS n) o.ctid, n.ctid, ctid;
merge into t USING (VALUES (1, 7), (9, 9)) v (a, b) ON t.a = v.a
  WHEN MATCHED THEN UPDATE SET b = v.b WHEN NOT MATCHED THEN INSERT VALUES (v.a, v.b)
  returning merge_action(), old.ctid, new.ctid, t.a, v.b;
SELECT ctid, * FROM t;
