-- What pages are read by in a database of the script's own: pageinspect's function, without its extension.
CREATE SCHEMA ffviz;
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 140000 THEN
    CREATE FUNCTION ffviz.get_raw_page(text, text, int8) RETURNS bytea
      LANGUAGE c STRICT PARALLEL SAFE AS '$libdir/pageinspect', 'get_raw_page_fork_1_9';
  ELSE
    CREATE FUNCTION ffviz.get_raw_page(text, text, int4) RETURNS bytea
      LANGUAGE c STRICT PARALLEL SAFE AS '$libdir/pageinspect', 'get_raw_page_fork';
  END IF;
END
$$
