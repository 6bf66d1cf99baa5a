-- SET of a function, which holds while it runs (fmgr_security_definer, fmgr.c; AtEOXact_GUC, guc.c), and ALTER FUNCTION.
create table audit (id int generated always as identity, tbl text, op text, old_row text, new_row text);
create table accounts (id int primary key, balance numeric(10,2), owner text);
create or replace function audit_accounts() returns trigger
language plpgsql
security definer
set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    insert into audit (tbl, op, new_row) values (tg_table_name, tg_op, new::text);
    return new;
  elsif tg_op = 'UPDATE' then
    insert into audit (tbl, op, old_row, new_row) values (tg_table_name, tg_op, old::text, new::text);
    return new;
  end if;
  insert into audit (tbl, op, old_row) values (tg_table_name, tg_op, old::text);
  return old;
end;
$$;
create trigger trg_audit after insert or update or delete on accounts for each row execute function audit_accounts();
insert into accounts values (1, 100, 'alice'), (2, 200, 'bob');
update accounts set balance = balance - 10 where id = 1;
delete from accounts where id = 2;
select * from audit order by id;
create function path() returns text language plpgsql set search_path = '' as $$ begin return current_setting('search_path'); end $$;
select path();
create function memory() returns text language sql set work_mem to '64MB' as $$ select current_setting('work_mem') $$;
select memory(), current_setting('work_mem');
create function zone() returns text language sql stable set timezone = 'UTC' set datestyle to 'German' as $$ select current_setting('timezone') || current_setting('datestyle') || date '2024-02-01' $$;
select zone();
set work_mem = '6MB';
create function now_as_it_is() returns text language sql set work_mem from current as $$ select current_setting('work_mem') $$;
reset work_mem;
select now_as_it_is();
create function fails() returns int language plpgsql set search_path = pg_catalog, nowhere as $$ begin raise exception 'path is %', current_setting('search_path'); end $$;
select fails();
show work_mem;
do $$ declare p text := current_setting('search_path'); begin
  perform fails();
exception when others then
  insert into audit (op) values (sqlerrm || ' ' || (p = current_setting('search_path')));
end $$;
begin;
set local work_mem = '5MB';
select memory();
show work_mem;
savepoint a;
select fails();
rollback to a;
show work_mem;
commit;
show work_mem;
-- SET within it stays, SET LOCAL ends with it
create function sets() returns text language plpgsql set work_mem = '1MB' as $$ begin set work_mem = '2MB'; return current_setting('work_mem'); end $$;
create function sets_local() returns text language plpgsql set work_mem = '1MB' as $$ begin set local work_mem = '3MB'; set local maintenance_work_mem = '12MB'; return current_setting('work_mem'); end $$;
select sets_local(), current_setting('work_mem');
begin;
select sets_local();
show work_mem;
show maintenance_work_mem;
commit;
show maintenance_work_mem;
select sets();
show work_mem;
begin;
select sets();
rollback;
show work_mem;
reset work_mem;
-- what is wrong is said when it is made
create function wrong() returns int language sql set no_such_thing = 1 as $$ select 1 $$;
create function wrong() returns int language sql set work_mem = 'abc' as $$ select 1 $$;
create function wrong() returns int language sql rows 5 as $$ select 1 $$;
create function wrong() returns int language sql cost 0 as $$ select 1 $$;
create function wrong() returns int language sql stable immutable as $$ select 1 $$;
create function wrong() returns int language sql parallel maybe as $$ select 1 $$;
create procedure wrong() language plpgsql stable as $$ begin null; end $$;
create function costs() returns setof int language sql immutable leakproof parallel safe cost 10.5 rows 5 as $$ select 1 $$;
select * from costs();
create procedure p() language plpgsql set search_path from current as $$ begin insert into audit (op) values ('p'); end $$;
call p();
create procedure ends() language plpgsql set search_path = '' as $$ begin commit; end $$;
call ends();
create procedure ends_too() language plpgsql security definer as $$ begin commit; end $$;
call ends_too();
create function f() returns text language plpgsql as $$ begin return current_setting('work_mem'); end $$;
alter function f() set work_mem = '7MB';
select f();
alter function f() set work_mem to '8MB' stable;
select f();
alter function f() reset work_mem;
alter function f() set work_mem = '9MB';
alter function f() reset all;
select f();
alter function f() strict security definer cost 3 parallel safe;
alter function f() owner to postgres;
alter function f() owner to nobody;
alter function f() rename to g;
select g(), f();
select g();
alter function nothing(int) stable;
alter procedure p() reset search_path;
call p();
alter function p() stable;
select op, old_row from audit order by id;
