-- UPDATE statements that pg_stat_statements has of this database and that may be about a table; SCHEMA is the extension's.
-- $1: the table's name
SELECT s.query, sum(s.rows)::int8 AS rows
  FROM SCHEMA.pg_stat_statements s
 WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND s.query ~* '\mupdate\M' AND strpos(lower(s.query), lower($1)) > 0
 GROUP BY s.query
 ORDER BY 2 DESC
 LIMIT 500
