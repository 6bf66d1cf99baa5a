-- When and where in the WAL: one row. The insert position, as pages in memory may be ahead of what is written.
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
       CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text AS lsn,
       (SELECT redo_lsn FROM pg_control_checkpoint())::text AS redo,
       (SELECT system_identifier FROM pg_control_system())::text AS system
