-- What ALTER SYSTEM has set so far, of these settings.
-- $1: names
SELECT DISTINCT ON (name) name, setting
  FROM pg_file_settings
 WHERE sourcefile LIKE '%postgresql.auto.conf' AND lower(name) = ANY ($1)
 ORDER BY name, seqno DESC
