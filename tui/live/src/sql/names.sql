-- The relations that a name or pattern of the command line means. Runs with the user's own search_path, so everything here is qualified.
-- $1: regular expression for the schema, or NULL for whatever is visible; $2: for the name; $3: system catalogs too?
SELECT c.oid,
       c.relkind::pg_catalog.text AS kind,
       pg_catalog.format('%I.%I', n.nspname, c.relname) AS name,
       coalesce(i.indrelid, 0::pg_catalog.oid) AS table_of_index,
       c.relpersistence OPERATOR(pg_catalog.=) 't' AND pg_catalog.pg_is_other_temp_schema(n.oid) AS of_others,
       ARRAY(SELECT pg_catalog.format('%I.%I', pn.nspname, p.relname)
               FROM pg_catalog.pg_inherits h
               JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) h.inhrelid
               JOIN pg_catalog.pg_namespace pn ON pn.oid OPERATOR(pg_catalog.=) p.relnamespace
              WHERE c.relkind OPERATOR(pg_catalog.=) 'p' AND h.inhparent OPERATOR(pg_catalog.=) c.oid
              ORDER BY p.relname LIMIT 3) AS partitions
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid OPERATOR(pg_catalog.=) c.oid
 WHERE c.relname OPERATOR(pg_catalog.~) $2 COLLATE pg_catalog."default"
   AND CASE WHEN $1 IS NULL THEN pg_catalog.pg_table_is_visible(c.oid)
            ELSE n.nspname OPERATOR(pg_catalog.~) $1 COLLATE pg_catalog."default" END
   AND ($3 OR $1 IS NOT NULL OR n.nspname OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema']::pg_catalog.name[]))
   AND c.relkind OPERATOR(pg_catalog.<>) 'c'
 ORDER BY n.nspname, c.relname
 LIMIT 1000
