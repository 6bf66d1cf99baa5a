-- What runs of scripts that were broken off have left: schemas of this database, and databases. A number is the process id of the
-- backend that made it: where such a session of ffviz is there, the run goes on.
SELECT what, quote_ident(name) AS name, told
  FROM (SELECT 'schema' AS what, nspname::text AS name, obj_description(oid, 'pg_namespace') AS told FROM pg_namespace
         UNION ALL
        SELECT 'database', datname::text, shobj_description(oid, 'pg_database') FROM pg_database) made
 WHERE name ~ '^ffviz_(verify|script)_[0-9]+$'
   AND NOT EXISTS (SELECT FROM pg_stat_activity
                    WHERE pid::text = substring(name FROM '[0-9]+$') AND application_name = 'ffviz')
 ORDER BY 1, 2
