-- The statements that let a role use the functions of an extension that look at things; those that change something
-- stay with superusers.
-- $1: name of the extension; $2: the role
SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', p.oid::regprocedure, $2::text) AS grant
  FROM pg_extension e
  JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                  AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
  JOIN pg_proc p ON p.oid = d.objid
 WHERE e.extname = $1 AND p.proname !~ 'truncate|evict|mark_dirty'
