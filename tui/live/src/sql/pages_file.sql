-- One page as it is on disk: for pages so damaged that PostgreSQL does not take them into memory.
-- $1: oid, $2: block; a relation's file is cut into segments
SELECT pg_read_binary_file(
         pg_relation_filepath($1::regclass) || CASE WHEN $2 >= s.blocks THEN '.' || $2 / s.blocks ELSE '' END,
         $2 % s.blocks * current_setting('block_size')::int8, current_setting('block_size')::int8, true) AS page
  FROM (SELECT setting::int8 AS blocks FROM pg_settings WHERE name = 'segment_size') AS s
