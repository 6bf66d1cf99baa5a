-- The tables of this database, largest first, partitions under their parent; TOAST tables and sequences after them.
-- $1: system catalogs too? $2: measure sizes (needs a moment's lock on each table), or estimate them from pg_class.relpages?
WITH listed AS MATERIALIZED (
  SELECT c.oid, c.relname, n.nspname, c.relkind, c.reloptions, c.relpersistence, c.relpages,
         CASE WHEN c.relispartition THEN pg_partition_root(c.oid) ELSE c.oid END::oid AS root,
         owner.oid AS owner
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_class owner ON c.relkind = 't' AND owner.reltoastrelid = c.oid
   WHERE c.relkind IN ('r', 'p', 'm', 't', 'S')
     AND ($1 OR NOT (n.nspname IN ('pg_catalog', 'information_schema') OR (c.relkind = 't' AND owner.relnamespace IN
          ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))))
     AND NOT (c.relpersistence = 't' AND pg_is_other_temp_schema(n.oid))
   ORDER BY c.relpages DESC
   LIMIT 5000),
-- read once: it stops all lockers for a moment
locked AS MATERIALIZED (
  SELECT l.relation FROM pg_locks l WHERE l.mode = 'AccessExclusiveLock' AND l.granted AND l.relation IS NOT NULL),
sized AS (
  SELECT l.*,
         CASE WHEN l.relkind = 'p' THEN 0
              WHEN $2 AND l.oid NOT IN (SELECT relation FROM locked) THEN pg_total_relation_size(l.oid)
              ELSE greatest(l.relpages, 0)::int8 * current_setting('block_size')::int8 END AS bytes
    FROM listed l)
SELECT l.oid,
       format('%I.%I', l.nspname, l.relname) AS name,
       CASE WHEN l.root <> l.oid THEN format('partition of %s', l.root::regclass)
            WHEN l.relkind = 'p' THEN 'partitioned table'
            WHEN l.relkind = 'm' THEN 'materialized view'
            WHEN l.relkind = 'S' THEN 'sequence'
            WHEN l.relkind = 't' THEN format('TOAST table of %s', l.owner::regclass)
            ELSE 'table' END AS kind,
       l.relkind = 'p' AS partitioned,
       l.relpersistence = 'u' AS unlogged,
       l.bytes,
       pg_stat_get_dead_tuples(l.oid) AS dead,
       (100 * pg_stat_get_tuples_hot_updated(l.oid) / nullif(pg_stat_get_tuples_updated(l.oid), 0))::int4 AS hot_percent,
       coalesce((SELECT option_value::int4 FROM pg_options_to_table(l.reloptions) WHERE option_name = 'fillfactor'), 100) AS fillfactor,
       has_table_privilege(coalesce(l.owner, l.oid), 'SELECT') AS may_select
  FROM sized l
 ORDER BY CASE l.relkind WHEN 't' THEN 1 WHEN 'S' THEN 2 ELSE 0 END,
          sum(l.bytes) OVER (PARTITION BY l.root) DESC, l.root, l.relkind = 'p' DESC, l.bytes DESC, name
