-- Where the server's WAL stands, and which ways to it this role has. One row.
-- On a standby WAL counts as far as it is replayed: pages are not ahead of that. Its timeline is asked in three places, since a promotion
-- of the primary reaches them one after the other.
SELECT current_setting('server_version_num')::int4 AS version,
       c.system_identifier,
       (SELECT setting::int8 FROM pg_settings WHERE name = 'wal_segment_size') AS segment_size,
       pg_postmaster_start_time()::text AS started,
       pg_is_in_recovery() AS standby,
       CASE WHEN pg_is_in_recovery()
            THEN greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                          (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
                          (SELECT received_tli FROM pg_stat_wal_receiver))::int8
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8 END AS timeline,
       CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text AS insert_lsn,
       CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END::text AS flush_lsn,
       (SELECT redo_lsn FROM pg_control_checkpoint())::text AS redo_lsn,
       current_user::text AS role,
       current_database()::text AS database,
       has_function_privilege('pg_catalog.pg_read_binary_file(text,bigint,bigint,boolean)', 'EXECUTE') AS reads_files,
       current_setting('server_version_num')::int4 >= 150000
         AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_walinspect') AS inspect_available,
       i.schema AS inspect,
       coalesce(i.blocks, false) AS inspects_blocks,
       coalesce(i.executable, false) AS inspects
  FROM pg_control_system() AS c
  LEFT JOIN LATERAL (
         -- pg_walinspect, wherever it was put
         SELECT quote_ident(n.nspname) AS schema,
                has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') AS executable,
                EXISTS (SELECT FROM pg_proc o WHERE o.pronamespace = n.oid AND o.proname = 'pg_get_wal_block_info' AND o.pronargs = 3) AS blocks
           FROM pg_extension e
           JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                           AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
           JOIN pg_proc p ON p.oid = d.objid
           JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE e.extname = 'pg_walinspect' AND p.proname = 'pg_get_wal_records_info'
          LIMIT 1) AS i ON true
