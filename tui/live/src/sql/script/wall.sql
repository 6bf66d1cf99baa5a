-- Makes a database of a script's own safe for whatever the script says: the fence's `walled` tells why.
-- ROLE is put in: as whom the script runs. Run once, by a superuser, before anything of the script is there.
DO $role$
DECLARE
  other text;
BEGIN
  -- what somebody gave to the role, the script would have
  SELECT string_agg(roleid::regrole::text, ', ') INTO other FROM pg_catalog.pg_auth_members
   WHERE member = 'ROLE'::regrole
     AND roleid::regrole::text NOT IN ('pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables');
  IF other IS NOT NULL THEN
    RAISE EXCEPTION 'on this server ROLE, as which a script runs, is a member of %', other
      USING HINT = 'A script would have its rights: use another server.';
  END IF;
END
$role$;

CREATE SCHEMA ffviz;
CREATE EXTENSION pageinspect SCHEMA ffviz;
-- where extensions are made before they go where the script wants them: nothing of the script's stands in their way here
CREATE SCHEMA ffviz_made;
GRANT USAGE ON SCHEMA ffviz TO ROLE;
GRANT ALL ON SCHEMA public TO ROLE;

DO $wall$
DECLARE
  it record;
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO ROLE', current_database());
  -- set_config could make the session a superuser's again; the others end sessions of the role that are another run's
  FOR it IN SELECT oid::regprocedure AS name FROM pg_catalog.pg_proc
             WHERE pronamespace = 'pg_catalog'::regnamespace
               AND proname IN ('set_config', 'pg_terminate_backend', 'pg_cancel_backend') LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION pg_catalog.%s FROM PUBLIC', it.name);
  END LOOP;
  -- pageinspect serves superusers only: functions of its names lend it to the script. Without a search_path of their own,
  -- as they are given names of relations; what they call has a schema, in which the script makes nothing
  FOR it IN SELECT p.oid, p.proname, p.pronargs
              FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'ffviz'::regnamespace LOOP
    EXECUTE format(
      'CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE sql SECURITY DEFINER AS %L',
      it.proname, pg_get_function_arguments(it.oid), pg_get_function_result(it.oid),
      format('SELECT * FROM ffviz.%I(%s)', it.proname,
             (SELECT string_agg('$' || n, ', ') FROM generate_series(1, it.pronargs) n)));
  END LOOP;
END
$wall$;

-- Runs a DO block where PostgreSQL lets nobody change who they are.
CREATE FUNCTION ffviz.perform(block text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  EXECUTE block;
END
$$;
ALTER FUNCTION ffviz.perform(text) OWNER TO ROLE;

-- Settings that are for superusers, and change nothing but what this session writes and counts. Every name in it has a
-- schema: it runs with a superuser's rights, and where the script's own things may be found first.
CREATE FUNCTION ffviz.setting(name text, value text, is_local boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF name OPERATOR(pg_catalog.=) ANY (ARRAY['wal_compression', 'wal_consistency_checking', 'track_io_timing',
                                           'track_functions', 'deadlock_timeout']::pg_catalog.text[]) THEN
    PERFORM pg_catalog.set_config(name, value, is_local);
  ELSE
    RAISE EXCEPTION 'ffviz does not lend this setting';
  END IF;
END
$$;

-- Sees to it that a function that computes what it runs does so where PostgreSQL lets nobody change who they are,
-- whoever creates it and how.
CREATE FUNCTION ffviz.guard() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $guard$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT p.oid, p.prokind, p.prosrc, p.prosecdef, p.proconfig, l.lanname
      FROM pg_event_trigger_ddl_commands() c
      JOIN pg_proc p ON c.classid = 'pg_proc'::regclass AND p.oid = c.objid
      JOIN pg_language l ON l.oid = p.prolang
     WHERE NOT c.in_extension
  LOOP
    IF made.lanname NOT IN ('sql', 'plpgsql') THEN
      RAISE EXCEPTION 'ffviz lets a script make functions in SQL and PL/pgSQL only, not in %', made.lanname;
    END IF;
    IF array_to_string(made.proconfig, ' ') COLLATE "C" ~* 'session_authorization' THEN
      RAISE EXCEPTION 'ffviz lets no function of a script set session_authorization';
    END IF;
    IF NOT made.prosecdef AND made.prosrc COLLATE "C" ~* '\m(execute|do|authorization|session_authorization)\M|u&' THEN
      IF made.prokind = 'p' AND made.prosrc COLLATE "C" ~* '\m(commit|rollback)\M' THEN
        RAISE EXCEPTION 'ffviz lets a script make no procedure with both COMMIT or ROLLBACK and EXECUTE'
          USING HINT = 'What it computes has to run where nobody can change whose rights it has, and there no transaction ends.';
      END IF;
      EXECUTE format('ALTER ROUTINE %s SECURITY DEFINER', made.oid::regprocedure);
    END IF;
  END LOOP;
END
$guard$;
CREATE EVENT TRIGGER ffviz_guard ON ddl_command_end
  WHEN TAG IN ('CREATE FUNCTION', 'CREATE PROCEDURE', 'ALTER FUNCTION', 'ALTER PROCEDURE', 'ALTER ROUTINE')
  EXECUTE FUNCTION ffviz.guard();
