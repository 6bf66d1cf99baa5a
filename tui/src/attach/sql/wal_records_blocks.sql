-- Records as pg_walinspect describes them, those that end by $2, from 16 on with the bytes of their block data.
-- $1: from, $2: to; SCHEMA is put in: where the extension is
SELECT r.start_lsn::text AS start, r.end_lsn::text AS end, r.xid::text AS xid, r.resource_manager AS rmgr, r.record_type AS type,
       r.record_length::int8 AS length, r.main_data_length + coalesce(b.data, 0) AS data, r.fpi_length::int8 AS images,
       r.description, r.block_ref
  FROM SCHEMA.pg_get_wal_records_info($1::text::pg_lsn, $2::text::pg_lsn) AS r
  LEFT JOIN (SELECT start_lsn, sum(block_data_length)::int8 AS data
               FROM SCHEMA.pg_get_wal_block_info($1::text::pg_lsn, $2::text::pg_lsn, false) GROUP BY start_lsn) AS b USING (start_lsn)
 ORDER BY r.start_lsn
