-- Where a script is to run: this backend, the database, and the schema of pageinspect.
SELECT pg_backend_pid() AS pid,
       (SELECT oid FROM pg_database WHERE datname = current_database()) AS database,
       (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
         WHERE e.extname = 'pageinspect') AS extension
