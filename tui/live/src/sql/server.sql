-- The server at this moment, and which ways to its pages this role has. One row.
SELECT current_setting('server_version_num')::int4 AS version,
       current_setting('block_size')::int4 AS block_size,
       current_setting('data_checksums') = 'on' AS data_checksums,
       current_setting('data_checksums') = 'on' OR current_setting('wal_log_hints') = 'on' AS log_hints,
       pg_is_in_recovery() AS standby,
       current_database()::text AS database,
       current_user::text AS role,
       current_setting('is_superuser') = 'on' AS superuser,
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pageinspect') AS available,
       raw.schema AS pageinspect,
       coalesce(raw.wide, false) AS wide,
       coalesce(raw.executable, false) AS executable,
       has_function_privilege('pg_catalog.pg_read_binary_file(text,bigint,bigint,boolean)', 'EXECUTE') AS reads_files,
       w.oid IS NOT NULL AS wrapper,
       coalesce(has_schema_privilege(w.pronamespace, 'USAGE') AND has_function_privilege(w.oid, 'EXECUTE'), false)
           AS wrapper_granted
  FROM (VALUES (1)) AS one
  LEFT JOIN LATERAL (
         -- get_raw_page(text, text, block) of the extension, wherever it was put; block is int4 before version 1.9 of the extension
         SELECT quote_ident(n.nspname) AS schema, p.proargtypes[2] = 'int8'::regtype AS wide,
                has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') AS executable
           FROM pg_extension e
           JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                           AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
           JOIN pg_proc p ON p.oid = d.objid
           JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE e.extname = 'pageinspect' AND p.proname = 'get_raw_page' AND p.pronargs = 3
          ORDER BY p.proargtypes[2] = 'int8'::regtype DESC
          LIMIT 1) AS raw ON true
  -- the wrapper, if a superuser made it; by the catalogs, as to_regprocedure() fails where the schema may not be used
  LEFT JOIN pg_proc w ON w.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'ffviz')
                     AND w.proname = 'get_raw_pages' AND oidvectortypes(w.proargtypes) = 'oid, text, bigint[]' AND w.prosecdef
                     AND EXISTS (SELECT FROM pg_roles r WHERE r.oid = w.proowner AND r.rolsuper)
