-- Statements near what works, and their errors.
create table t (a int primary key, b text);
create view v as select * from t;
vacuum t (a);
vacuum (full) t (a);
vacuum (analyze) t (a);
analyze t (a, nocol);
vacuum (analyze) t (nocol);
create index on t (ctid);
create function f() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger bad after insert on t for each row when (old.a > 1) execute function f();
create trigger bad after delete on t for each row when (new.a > 1) execute function f();
create trigger good after update on t for each row when (new.a > old.a) execute function f();
insert into t values (1, 'x');
-- what an exception handler asks
create function put(k int) returns text language plpgsql as $$
declare c text; m text; n text;
begin
  insert into t values (k, 'y');
  return 'ok';
exception
  when unique_violation then
    get stacked diagnostics c = constraint_name, n = column_name;
    return 'dup on ' || c || n || '.';
  when not_null_violation then
    get stacked diagnostics m = message_text, c = returned_sqlstate, n = column_name;
    return c || ' ' || m || ' ' || n;
end $$;
select put(1), put(2), put(null);
set session characteristics as transaction read only;
delete from t;
set session characteristics as transaction read write;
