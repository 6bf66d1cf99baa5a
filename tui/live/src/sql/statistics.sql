-- What catalogs and statistics tell of a table's shape and of its updates: one row, as JSON. No row of the table is read.
-- $1: oid of the table
SELECT json_build_object(
         'version', current_setting('server_version_num')::int4,
         'standby', pg_is_in_recovery(),
         'role', current_user,
         'is_catalog', n.nspname IN ('pg_catalog', 'information_schema'),
         'name', format('%I.%I', n.nspname, c.relname),
         'schema', n.nspname,
         'relation', c.relname,
         'kind', c.relkind::text,
         'method', coalesce(am.amname, 'none'),
         'rows', c.reltuples::float8,
         'pages', c.relpages,
         'block_size', current_setting('block_size')::int4,
         'fillfactor', (SELECT option_value::int4 FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor'),
         'autovacuum', ARRAY(
            SELECT option_name || ' = ' || option_value FROM pg_options_to_table(c.reloptions)
             WHERE option_name IN ('autovacuum_enabled', 'autovacuum_vacuum_threshold', 'autovacuum_vacuum_scale_factor')
            UNION ALL
            SELECT s.name || ' = ' || s.setting FROM pg_settings s
             WHERE s.name IN ('autovacuum', 'autovacuum_vacuum_threshold', 'autovacuum_vacuum_scale_factor') AND s.setting <> s.boot_val
               AND NOT EXISTS (SELECT FROM pg_options_to_table(c.reloptions) WHERE option_name = s.name)),
         'may_select', has_table_privilege(c.oid, 'SELECT'),
         'sees_sessions', pg_has_role('pg_read_all_stats', 'USAGE'),
         -- the schema of pg_stat_statements, where its view may be read
         'statements', (SELECT quote_ident(en.nspname) FROM pg_extension e JOIN pg_namespace en ON en.oid = e.extnamespace
                         WHERE e.extname = 'pg_stat_statements' AND has_schema_privilege(en.oid, 'USAGE')),
         'columns', (
            SELECT coalesce(json_agg(json_build_object(
                     'num', a.attnum, 'name', a.attname, 'len', a.attlen, 'align', a.attalign::text, 'by_value', a.attbyval,
                     'width', s.avg_width, 'nulls', s.null_frac, 'distinct', s.n_distinct) ORDER BY a.attnum), '[]')
              FROM pg_attribute a
              LEFT JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
                                  AND NOT s.inherited
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
         'indexes', (
            SELECT coalesce(json_agg(json_build_object(
                     'name', ic.relname, 'method', iam.amname, 'unique', i.indisunique,
                     'special', i.indexprs IS NOT NULL OR i.indpred IS NOT NULL,
                     'scans', pg_stat_get_numscans(ic.oid),
                     'keys', (string_to_array(i.indkey::text, ' ')::int4[])[1:i.indnkeyatts],
                     -- indkey has the plain columns; pg_depend those in expressions and the predicate, too
                     'depends', ARRAY(
                        SELECT unnest(string_to_array(i.indkey::text, ' ')::int4[]) AS num
                         UNION SELECT d.refobjsubid FROM pg_depend d
                                WHERE d.classid = 'pg_class'::regclass AND d.objid = ic.oid
                                  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
                        EXCEPT SELECT 0 ORDER BY num)) ORDER BY NOT i.indisprimary, NOT i.indisunique, ic.relname), '[]')
              FROM pg_index i
              JOIN pg_class ic ON ic.oid = i.indexrelid
              JOIN pg_am iam ON iam.oid = ic.relam
             WHERE i.indrelid = c.oid AND i.indislive),
         -- the columns of the view are more from 16 on
         'counters', (SELECT row_to_json(s) FROM pg_stat_all_tables s WHERE s.relid = c.oid),
         'since', (SELECT to_char(stats_reset, 'YYYY-MM-DD') FROM pg_stat_database WHERE datname = current_database()),
         'holders', (
            SELECT coalesce(json_agg(h), '[]') FROM (
              SELECT 'session' AS sort, pid::text AS name, coalesce(state, 'active') AS state,
                     extract(epoch FROM clock_timestamp() - xact_start)::int8 AS seconds,
                     greatest(age(backend_xmin), age(backend_xid)) AS age
                FROM pg_stat_activity
               WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
                 AND (datname = current_database() OR datname IS NULL) AND backend_type <> 'autovacuum worker'
              UNION ALL
              SELECT 'slot', slot_name::text, CASE WHEN active THEN 'active' ELSE 'inactive' END, NULL, age(xmin)
                FROM pg_replication_slots WHERE xmin IS NOT NULL
              UNION ALL
              SELECT 'prepared', gid, 'prepared', extract(epoch FROM clock_timestamp() - prepared)::int8, age(transaction)
                FROM pg_prepared_xacts WHERE database = current_database()) h))::text AS statistics
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_am am ON am.oid = c.relam
 WHERE c.oid = $1
