-- Which file belongs to which relation of this database; indexes and TOAST tables with the table they serve.
SELECT pg_relation_filenode(c.oid)::int8 AS filenode,
       (CASE WHEN c.reltablespace = 0 THEN d.dattablespace ELSE c.reltablespace END)::int8 AS tablespace,
       (CASE WHEN c.relisshared THEN 0 ELSE d.oid END)::int8 AS database,
       CASE WHEN n.nspname IN ('public', 'pg_catalog', 'pg_toast') THEN quote_ident(c.relname)
            ELSE format('%I.%I', n.nspname, c.relname) END AS name,
       coalesce(toasted.oid, i.indrelid, toast.oid, c.oid) AS served
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_database d ON d.datname = current_database()
  LEFT JOIN pg_index i ON i.indexrelid = c.oid
  LEFT JOIN pg_class toast ON toast.reltoastrelid = c.oid AND c.relkind = 't'
  LEFT JOIN pg_class toasted ON toasted.reltoastrelid = i.indrelid
 WHERE pg_relation_filenode(c.oid) IS NOT NULL
