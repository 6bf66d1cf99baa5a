-- What records that end by $2 do to pages, from 16 on: how long the data of each block reference is, and for some files the data itself and
-- the page of the image.
-- $1: from, $2: to, $3: numbers of the files, NULL for all; SCHEMA is put in: where the extension is
SELECT start_lsn::text AS start, block_id::int4 AS id, block_data_length::int8 AS length,
       $3::int8[] IS NULL OR relfilenode::int8 = ANY ($3) AS wanted,
       CASE WHEN $3::int8[] IS NULL OR relfilenode::int8 = ANY ($3) THEN block_data END AS data,
       CASE WHEN $3::int8[] IS NULL OR relfilenode::int8 = ANY ($3) THEN block_fpi_data END AS page
  FROM SCHEMA.pg_get_wal_block_info($1::text::pg_lsn, $2::text::pg_lsn, $3::int8[] IS DISTINCT FROM '{}')
