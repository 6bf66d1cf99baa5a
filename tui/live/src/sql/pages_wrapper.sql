-- The same through the wrapper that a superuser has installed (wrapper.sql).
-- $1: oid, $2: fork, $3: blocks, $4: filenode
SELECT p.block, p.page
  FROM ffviz.get_raw_pages($1, $2, ARRAY(
         SELECT b FROM unnest($3) AS b
          WHERE b < (SELECT pg_relation_size($1::regclass, $2) / current_setting('block_size')::int8))) AS p
 WHERE pg_relation_filenode($1) = $4
