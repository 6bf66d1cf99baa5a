-- Blocks of the tables and indexes of users, named as the simulator names them.
SELECT c.relname::text AS name, c.relkind = 'i' AS is_index, pg_relation_size(c.oid) / current_setting('block_size')::int8 AS blocks
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'i', 'm')
   AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'ffviz'
 ORDER BY c.oid
