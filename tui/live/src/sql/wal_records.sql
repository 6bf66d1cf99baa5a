-- Records as pg_walinspect describes them, those that end by $2; SCHEMA is put in: where the extension is.
-- $1: from, $2: to
SELECT start_lsn::text AS start, end_lsn::text AS end, prev_lsn::text AS prev, xid::text AS xid,
       resource_manager AS rmgr, record_type AS type, record_length::int8 AS length, main_data_length::int8 AS main,
       description, block_ref
  FROM SCHEMA.pg_get_wal_records_info($1::text::pg_lsn, $2::text::pg_lsn)
