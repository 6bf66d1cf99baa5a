-- Every page of every fork of the relations of a schema, with their TOAST tables and those's indexes; a row without block for an empty fork.
-- A relation that another session holds or wants exclusively gives one row without fork: reading it would wait.
-- $1: oid of the schema; EXTENSION and BLOCK are put in: where get_raw_page is, and the type of its block number
WITH family AS (
  SELECT c.oid, c.relname::text AS name, c.reltoastrelid AS toast
    FROM pg_class c
   WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'm', 'i', 'S')),
wanted AS (
  SELECT oid, name FROM family
   UNION ALL SELECT toast, name || '.toast' FROM family WHERE toast <> 0
   UNION ALL SELECT i.indexrelid, name || '.toast_idx' FROM family JOIN pg_index i ON i.indrelid = toast WHERE toast <> 0),
facts AS (
  SELECT c.oid, w.name, format('%I.%I', n.nspname, c.relname) AS path, pg_relation_filenode(c.oid) AS filenode,
         EXISTS (SELECT FROM pg_locks l
                  WHERE l.locktype = 'relation' AND l.relation = c.oid AND l.mode = 'AccessExclusiveLock'
                    AND l.pid <> pg_backend_pid()) AS locked
    FROM wanted w
    JOIN pg_class c ON c.oid = w.oid
    JOIN pg_namespace n ON n.oid = c.relnamespace),
files AS (
  SELECT f.*, fork, CASE WHEN NOT f.locked THEN pg_relation_size(f.oid, fork) / 8192 END AS blocks
    FROM facts f CROSS JOIN unnest(ARRAY['main', 'fsm', 'vm', 'init']) fork)
SELECT f.oid, f.name, f.filenode, f.fork, f.blocks, b.block,
       CASE WHEN b.block IS NOT NULL THEN EXTENSION.get_raw_page(f.path, f.fork, b.block::BLOCK) END AS page
  FROM files f
  LEFT JOIN LATERAL generate_series(0::int8, f.blocks - 1) AS b (block) ON true
-- a view has no file, nor what is partitioned, and its OID is told all the same
UNION ALL
SELECT c.oid, NULL, NULL, NULL, NULL, NULL, NULL
  FROM pg_class c
 WHERE c.relnamespace = $1 AND c.relkind IN ('v', 'p', 'I')
