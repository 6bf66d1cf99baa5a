-- Tables, materialized views and sequences of a script, with the word whether reading them would wait: another session
-- holds one of their files exclusively, or wants to.
-- $1: oid of the schema that they are in; 0: any schema of users. ffviz's own is none
SELECT c.oid,
       EXISTS (
         SELECT FROM pg_locks l
          WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.pid <> pg_backend_pid()
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND (l.relation IN (c.oid, c.reltoastrelid)
                 OR l.relation IN (SELECT i.indexrelid FROM pg_index i WHERE i.indrelid IN (c.oid, c.reltoastrelid)))) AS locked
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'm', 'S') AND c.relpersistence <> 't'
   AND CASE WHEN $1 = 0 THEN n.nspname NOT IN ('pg_catalog', 'information_schema', 'ffviz', 'ffviz_made') ELSE n.oid = $1 END
 ORDER BY c.oid
