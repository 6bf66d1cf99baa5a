-- Many pages in one round trip, through pageinspect. Gives no row when the relation is gone or was rewritten since its facts were read,
-- and none for blocks beyond its end.
-- $1: oid, $2: fork, $3: blocks, $4: filenode; SCHEMA and BLOCK are put in: where get_raw_page is, and the type of its block number
SELECT b.block, SCHEMA.get_raw_page(format('%I.%I', n.nspname, c.relname), $2, b.block::BLOCK) AS page
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN unnest($3) AS b (block)
 WHERE c.oid = $1
   AND pg_relation_filenode($1) = $4
   AND b.block < (SELECT pg_relation_size($1::regclass, $2) / current_setting('block_size')::int8)
