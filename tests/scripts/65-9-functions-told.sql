-- functions of the script's as text, their rows in pg_proc, regproc and regprocedure (pg_get_functiondef)
create table t659 (id int, name varchar(10));
create type mood659 as enum ('sad', 'ok');
create function add659(a int, b int default 1) returns int language sql immutable strict as 'select a + b';
create function text659(p varchar(5), "Odd Name" numeric(5,2), t timestamptz default now(), s text default 'x') returns text language sql stable as $$ select p || s $$;
create function rows659() returns setof t659 language sql as 'select * from t659';
create function table659(n int) returns table (x int, y text) language sql rows 5 as $$ select n, n::text $$;
create function void659(m mood659) returns void language plpgsql security definer set search_path = pg_catalog set work_mem = '1MB' as $body$
begin
  perform 1; -- $function$
end
$body$;
create function trig659() returns trigger language plpgsql cost 50 parallel safe as $$ begin return new; end $$;
create procedure proc659(a int, b text) language plpgsql as $$ begin null; end $$;
create function arr659(a int[], b numeric[] default '{}') returns int[] language sql as 'select a';
select substr(pg_get_functiondef('add659'::regproc), strpos(pg_get_functiondef('add659'::regproc), '.'));
select substr(pg_get_functiondef('text659(varchar, numeric, timestamptz, text)'::regprocedure), strpos(pg_get_functiondef('text659(varchar, numeric, timestamptz, text)'::regprocedure), '.'));
select substr(pg_get_functiondef('rows659'::regproc), strpos(pg_get_functiondef('rows659'::regproc), '.'));
select substr(pg_get_functiondef('table659'::regproc), strpos(pg_get_functiondef('table659'::regproc), '.'));
select substr(pg_get_functiondef('void659'::regproc), strpos(pg_get_functiondef('void659'::regproc), '.'));
select substr(pg_get_functiondef('trig659'::regproc), strpos(pg_get_functiondef('trig659'::regproc), '.'));
select substr(pg_get_functiondef('proc659'::regproc), strpos(pg_get_functiondef('proc659'::regproc), '.'));
select substr(pg_get_functiondef(oid), strpos(pg_get_functiondef(oid), '.')) from pg_proc where proname = 'arr659';
select pg_get_functiondef(0);
select proname, prokind, pronargs, pronargdefaults, provolatile, proisstrict, proretset, prosecdef, proleakproof, proparallel, procost, prorows, prorettype::regtype, prosrc from pg_proc where proname in ('add659', 'text659', 'rows659', 'table659', 'void659', 'trig659', 'proc659', 'arr659') order by proname;
select oid::regprocedure, oid::regproc, pg_get_function_arguments(oid), pg_get_function_identity_arguments(oid), pg_get_function_result(oid) from pg_proc where proname in ('add659', 'text659', 'rows659', 'table659', 'void659', 'trig659', 'proc659', 'arr659') order by proname;
select 'add659(int, integer)'::regprocedure, 'add659'::regproc::text || '!', 'add659'::regproc = 'add659(int,int)'::regprocedure::oid;
select 'add659(int)'::regprocedure;
select 'nosuch659'::regproc;
select 'nosuch659'::regprocedure;
create or replace function add659(a int, b int default 1) returns int language plpgsql as $$ begin return a * b; end $$;
select prosrc, provolatile, proisstrict from pg_proc where proname = 'add659';
select substr(pg_get_functiondef('add659'::regproc), strpos(pg_get_functiondef('add659'::regproc), '.'));
