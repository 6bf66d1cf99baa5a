-- record.sql: prints one capture of a recording (*.ffrec) under plain psql, 13 or later, from a server 13 to 18.
--
--   psql -X -qAt -v tables="'t','\"Odd name\"','app.orders'" -f record.sql >> demo.ffrec
--   psql -X -qAt -v tables="'t'" -v label='UPDATE t SET b = 2' -f record.sql >> demo.ffrec
--   psql -X -qAt -v tables="'t'" -v watch=2 -f record.sql >> demo.ffrec        (a capture every 2 seconds, until Ctrl-C)
--
-- tables     names as SQL writes them, each in single quotes: tables, materialized views, partitions, sequences
-- label      what happened before: usually the SQL
-- title      one line about the whole recording; for its first capture
-- max_pages  how many pages of each fork are read at most, from its start (default 1000)
-- watch      seconds between captures
--
-- The tables' indexes and TOAST tables come along. Nothing is created or changed: the session is read-only. The whole capture is one
-- SELECT, because \watch repeats one statement; a page is read as it is at that instant, so let writers rest for a coherent picture.
-- pageinspect must be installed, and its functions are for superusers only; others need the function of ffviz attach --print-wrapper.
\set ON_ERROR_STOP on
\set QUIET on
\pset tuples_only on
\pset format unaligned
\pset pager off
\if :{?tables}
\else
  DO $$ BEGIN RAISE 'say which tables, such as -v tables="''t'',''u''"'; END $$;
\endif
\if :{?label} \else \set label '' \endif
\if :{?title} \else \set title '' \endif
\if :{?max_pages} \else \set max_pages 1000 \endif
SET client_encoding = 'UTF8';
SET application_name = 'ffviz record.sql';
SET statement_timeout = '60s';
SET lock_timeout = '2s';
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;

-- a superuser reads pages with pageinspect, others with the function that a superuser may have installed for them
SELECT NOT current_setting('is_superuser')::bool AND EXISTS (
  SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = 'ffviz' AND p.proname = 'get_raw_pages'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')) AS has_wrapper \gset
\if :has_wrapper
  \set raw_page '(SELECT w.page FROM ffviz.get_raw_pages(p.oid, p.fork, ARRAY[p.block]) AS w)'
\else
DO $check$
BEGIN
  IF current_setting('server_version_num')::int < 130000 THEN
    RAISE 'record.sql needs a server of version 13 or later, this one is %', current_setting('server_version');
  ELSIF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pageinspect') THEN
    RAISE 'the extension pageinspect is not installed in database %', current_database()
      USING HINT = 'A superuser can install it: CREATE EXTENSION pageinspect;';
  ELSIF NOT current_setting('is_superuser')::bool THEN
    RAISE 'role % may not read pages', current_user
      USING HINT = 'pageinspect takes superusers only. A superuser can install a function that reads pages for others: '
                || format('ffviz attach --print-wrapper --grant-to %I | psql -d %I', current_user, current_database());
  END IF;
END
$check$;
SELECT format('%I.get_raw_page(p.quoted, p.fork, p.block::int)', n.nspname) AS raw_page
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pageinspect' \gset
\endif

WITH RECURSIVE named AS (
  SELECT name::regclass::oid AS oid FROM unnest(ARRAY[:tables]::text[]) AS name
), wanted AS (
  SELECT oid FROM named
  UNION
  SELECT part.oid FROM wanted w CROSS JOIN LATERAL (
    SELECT c.reltoastrelid AS oid FROM pg_class c WHERE c.oid = w.oid AND c.reltoastrelid <> 0
    UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = w.oid
    UNION ALL SELECT p.inhrelid FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid WHERE p.inhparent = w.oid AND c.relispartition
  ) part
), relation AS (
  SELECT c.*, n.nspname, coalesce(am.amname::text, CASE c.relkind WHEN 'S' THEN 'sequence' ELSE '' END) AS am,
         coalesce(i.indrelid, t.oid) AS of_table, i.indisunique, i.indisprimary, i.indnkeyatts, i.indkey,
         format('%I.%I', n.nspname, c.relname) AS quoted,
         (SELECT option_value::int FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor') AS fillfactor,
         CASE WHEN c.relisshared THEN 0 ELSE d.oid END AS database,
         CASE WHEN c.reltablespace = 0 THEN d.dattablespace ELSE c.reltablespace END AS tablespace
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_database d ON d.datname = current_database()
  LEFT JOIN pg_am am ON am.oid = c.relam
  LEFT JOIN pg_index i ON i.indexrelid = c.oid
  LEFT JOIN pg_class t ON t.reltoastrelid = c.oid AND c.relkind = 't'
  WHERE c.oid IN (SELECT oid FROM wanted) AND c.relkind IN ('r', 'm', 't', 'i', 'S')
), fork AS MATERIALIZED (
  SELECT r.oid, r.quoted, f.fork, f.nr,
         (coalesce(pg_relation_size(r.oid, f.fork), 0) / current_setting('block_size')::int)::bigint AS blocks
  FROM relation r CROSS JOIN (VALUES ('main', 0), ('fsm', 1), ('vm', 2), ('init', 3)) AS f (fork, nr)
), page AS (
  SELECT f.oid, f.fork, f.nr, b.block, f.quoted
  FROM fork f CROSS JOIN LATERAL generate_series(0, least(f.blocks, :max_pages) - 1) AS b (block)
), line AS (
  SELECT 0 AS part, 0::oid AS oid, 0 AS nr, 0::bigint AS block, json_build_object(
    'line', 'capture', 'ffrec', 1,
    'version', current_setting('server_version_num')::int,
    'block_size', current_setting('block_size')::int,
    'data_checksums', current_setting('data_checksums')::bool,
    'log_hints', current_setting('data_checksums')::bool OR current_setting('wal_log_hints')::bool,
    'at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'lsn', CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END,
    'system', (SELECT system_identifier::text FROM pg_control_system()),
    'redo', (SELECT redo_lsn FROM pg_control_checkpoint()),
    'title', nullif(:'title', ''),
    'label', nullif(:'label', '')) AS json
  UNION ALL
  SELECT 1, r.oid, 0, 0, json_build_object(
    'line', 'relation', 'oid', r.oid::bigint, 'schema', r.nspname, 'name', r.relname, 'kind', r.relkind, 'am', r.am,
    'table', r.of_table::bigint, 'filenode', pg_relation_filenode(r.oid)::bigint,
    'database', r.database::bigint, 'tablespace', r.tablespace::bigint, 'fillfactor', r.fillfactor,
    'blocks', (SELECT json_object_agg(f.fork, f.blocks ORDER BY f.nr) FROM fork f WHERE f.oid = r.oid),
    'attributes', (SELECT coalesce(json_agg(json_build_object(
        'num', a.attnum, 'name', a.attname, 'typid', a.atttypid::bigint,
        'type', CASE WHEN a.attisdropped THEN '' ELSE format_type(a.atttypid, a.atttypmod) END,
        'len', a.attlen, 'align', a.attalign, 'byval', a.attbyval, 'storage', a.attstorage,
        'base', nullif(b.oid, a.atttypid)::bigint,
        'labels', (SELECT json_object_agg(e.oid, e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid),
        'dropped', nullif(a.attisdropped, false),
        'missing', CASE WHEN a.atthasmissing THEN (a.attmissingval::text::text[])[1] END) ORDER BY a.attnum), '[]'::json)
      FROM pg_attribute a
      LEFT JOIN LATERAL ( -- the type below a domain
        WITH RECURSIVE below AS (
          SELECT t.oid, t.typbasetype FROM pg_type t WHERE t.oid = a.atttypid
          UNION ALL
          SELECT t.oid, t.typbasetype FROM below JOIN pg_type t ON t.oid = below.typbasetype)
        SELECT below.oid FROM below WHERE below.typbasetype = 0) AS b ON true
      WHERE a.attrelid = r.oid AND a.attnum > 0),
    'index', CASE WHEN r.relkind = 'i' THEN json_build_object(
      'unique', r.indisunique, 'primary', r.indisprimary, 'n_keys', r.indnkeyatts, 'columns', to_json(r.indkey::int2[]),
      'depends', (SELECT coalesce(json_agg(k ORDER BY k), '[]'::json) FROM (
        SELECT unnest(r.indkey::int2[])::int AS k
        UNION
        SELECT d.refobjsubid FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid
          AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.of_table) AS column_used WHERE k > 0),
      'summarizing', r.am = 'brin', 'definition', pg_get_indexdef(r.oid)) END,
    'stats', CASE WHEN r.relkind IN ('r', 'm', 't') THEN json_build_object(
      'n_live_tup', pg_stat_get_live_tuples(r.oid), 'n_dead_tup', pg_stat_get_dead_tuples(r.oid),
      'n_tup_upd', pg_stat_get_tuples_updated(r.oid), 'n_tup_hot_upd', pg_stat_get_tuples_hot_updated(r.oid),
      'relallvisible', r.relallvisible) END)
  FROM relation r
  UNION ALL
  SELECT 2, p.oid, p.nr, p.block, json_build_object(
    'line', 'page', 'oid', p.oid::bigint, 'fork', p.fork, 'block', p.block, 'data',
    translate(encode(:raw_page, 'base64'), E'\n', ''))
  FROM page p
  UNION ALL
  SELECT 3, 0, 0, 0, json_build_object('line', 'end', 'pages', (SELECT count(*) FROM page),
    'relations', (SELECT count(*) FROM relation))
)
SELECT json_strip_nulls(json) FROM line ORDER BY part, oid, nr, block
\if :{?watch}
\watch :watch
\else
\g
\endif
