-- ffviz: lets roles that are not superusers read the pages of tables they may read anyway.
-- pageinspect's functions are for superusers only and no GRANT changes that; this function runs them on behalf of others and checks first.
-- Install as a superuser, in each database: ffviz attach --print-wrapper --grant-to ROLE | psql -d DATABASE
-- Remove: DROP SCHEMA ffviz CASCADE
--
-- Who may use it sees rows that were deleted or rolled back and are still on the pages of those tables.

BEGIN;
CREATE EXTENSION IF NOT EXISTS pageinspect;
CREATE SCHEMA ffviz; -- installing anew? DROP SCHEMA ffviz CASCADE first
REVOKE ALL ON SCHEMA ffviz FROM PUBLIC;

DO $install$
DECLARE
  raw record;
BEGIN
  SELECT quote_ident(n.nspname) AS schema, p.proargtypes[2]::regtype AS block INTO STRICT raw
    FROM pg_catalog.pg_extension e
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
                               AND d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e'
    JOIN pg_catalog.pg_proc p ON p.oid = d.objid
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   WHERE e.extname = 'pageinspect' AND p.proname = 'get_raw_page' AND p.pronargs = 3
   ORDER BY p.proargtypes[2]::regtype = 'int8'::regtype DESC LIMIT 1;

  EXECUTE format($create$
    CREATE FUNCTION ffviz.get_raw_pages(relation oid, fork text, blocks bigint[])
    RETURNS TABLE (block bigint, page bytea)
    LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $body$
    DECLARE
      -- whose rows they are: an index has those of its table, a TOAST table those of its owner
      base oid := relation;
      name text;
      allowed boolean;
    BEGIN
      IF fork NOT IN ('main', 'fsm', 'vm', 'init') THEN
        RAISE invalid_parameter_value USING MESSAGE = 'fork must be main, fsm, vm or init';
      END IF;
      SELECT coalesce((SELECT i.indrelid FROM pg_index i WHERE i.indexrelid = base), base) INTO base;
      SELECT coalesce((SELECT o.oid FROM pg_class o WHERE o.reltoastrelid = base), base) INTO base;
      SELECT format('%%I.%%I', n.nspname, c.relname) INTO name
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation;
      -- all columns and all rows: SELECT on the whole table, schema USAGE, and no row security that hides any
      SELECT has_table_privilege(session_user, c.oid, 'SELECT')
             AND has_schema_privilege(session_user, c.relnamespace, 'USAGE')
             AND (NOT c.relrowsecurity OR r.rolsuper OR r.rolbypassrls
                  OR (NOT c.relforcerowsecurity AND pg_has_role(session_user, c.relowner, 'USAGE')))
        INTO allowed
        FROM pg_class c JOIN pg_roles r ON r.rolname = session_user WHERE c.oid = base;
      IF name IS NULL OR NOT coalesce(allowed, false) THEN
        RAISE insufficient_privilege USING MESSAGE = format('permission denied for relation %%s', coalesce(name, relation::text)),
          HINT = 'ffviz shows pages of tables of which you may SELECT every row and column.';
      END IF;
      RETURN QUERY SELECT b, %1$s.get_raw_page(name, fork, b::%2$s) FROM unnest(blocks) AS b;
    END
    $body$ $create$, raw.schema, raw.block);
END
$install$;

REVOKE ALL ON FUNCTION ffviz.get_raw_pages(oid, text, bigint[]) FROM PUBLIC;
