-- Tables with their indexes, TOAST tables and those's indexes: a row each, as JSON with the members of a recording's "relation" line.
-- $1: oids of the tables
WITH family AS (
  SELECT c.oid FROM pg_class c WHERE c.oid = ANY ($1)
   UNION SELECT c.reltoastrelid FROM pg_class c WHERE c.oid = ANY ($1) AND c.reltoastrelid <> 0),
wanted AS (
  SELECT oid FROM family UNION SELECT i.indexrelid FROM pg_index i JOIN family f ON f.oid = i.indrelid)
SELECT json_strip_nulls(json_build_object(
         'oid', c.oid::int8,
         'schema', n.nspname,
         'name', c.relname,
         'kind', c.relkind,
         'am', CASE WHEN c.relkind = 'S' THEN 'sequence' ELSE coalesce(am.amname, 'none') END,
         'table', coalesce(i.indrelid, (SELECT o.oid FROM pg_class o WHERE c.relkind = 't' AND o.reltoastrelid = c.oid))::int8,
         'filenode', coalesce(pg_relation_filenode(c.oid), 0)::int8,
         'database', CASE WHEN c.relisshared THEN 0 ELSE d.oid END::int8,
         'tablespace', CASE WHEN c.reltablespace = 0 THEN d.dattablespace ELSE c.reltablespace END::int8,
         'fillfactor', (SELECT option_value::int4 FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor'),
         'blocks', (SELECT json_object_agg(f, pg_relation_size(c.oid, f) / current_setting('block_size')::int8)
                      FROM unnest(ARRAY['main', 'fsm', 'vm', 'init']) f),
         'attributes', coalesce(columns.list, '[]'::json),
         'index', CASE WHEN i.indexrelid IS NOT NULL THEN json_build_object(
                    'unique', i.indisunique, 'primary', i.indisprimary, 'n_keys', i.indnkeyatts,
                    'columns', string_to_array(i.indkey::text, ' ')::int4[],
                    -- indkey has the plain columns; pg_depend those in expressions and the predicate, too
                    'depends', ARRAY(
                       SELECT unnest(string_to_array(i.indkey::text, ' ')::int4[]) AS num
                        UNION SELECT d.refobjsubid FROM pg_depend d
                               WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                                 AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
                       EXCEPT SELECT 0 ORDER BY num),
                    'summarizing', am.amname = 'brin',
                    'definition', pg_get_indexdef(c.oid)) END,
         'stats', CASE WHEN c.relkind IN ('r', 'm', 't') THEN json_build_object(
                    'n_live_tup', pg_stat_get_live_tuples(c.oid), 'n_dead_tup', pg_stat_get_dead_tuples(c.oid),
                    'n_tup_upd', pg_stat_get_tuples_updated(c.oid), 'n_tup_hot_upd', pg_stat_get_tuples_hot_updated(c.oid),
                    'relallvisible', c.relallvisible) END))::text AS relation
  FROM wanted w
  JOIN pg_class c ON c.oid = w.oid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_database d ON d.datname = current_database()
  LEFT JOIN pg_am am ON am.oid = c.relam
  LEFT JOIN pg_index i ON i.indexrelid = c.oid
  LEFT JOIN LATERAL (
         SELECT json_agg(json_strip_nulls(json_build_object(
                  'num', a.attnum, 'name', a.attname, 'typid', a.atttypid::int8,
                  'type', CASE WHEN a.attisdropped THEN '' ELSE format_type(a.atttypid, a.atttypmod) END,
                  'len', a.attlen, 'align', a.attalign, 'byval', a.attbyval, 'storage', a.attstorage,
                  'base', nullif(b.oid, a.atttypid)::int8,
                  'labels', (SELECT json_object_agg(e.oid, e.enumlabel ORDER BY e.enumsortorder)
                               FROM pg_enum e WHERE e.enumtypid = b.oid),
                  'dropped', nullif(a.attisdropped, false),
                  'missing', CASE WHEN a.atthasmissing THEN (a.attmissingval::text::text[])[1] END)) ORDER BY a.attnum) AS list
           FROM pg_attribute a
           LEFT JOIN LATERAL ( -- the type below a domain
                  WITH RECURSIVE below AS (
                    SELECT t.oid, t.typbasetype FROM pg_type t WHERE t.oid = a.atttypid
                    UNION ALL
                    SELECT t.oid, t.typbasetype FROM below JOIN pg_type t ON t.oid = below.typbasetype)
                  SELECT below.oid FROM below WHERE below.typbasetype = 0) AS b ON true
          WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns ON true
 ORDER BY c.oid
