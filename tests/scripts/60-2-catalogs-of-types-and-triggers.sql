-- pg_type by name, triggers besides those of foreign keys, extensions.
create type mood as enum ('sad', 'ok');
create domain short as varchar(10);
create type pair as (a int, b text);
create table one (id int primary key, m mood);
create table two (id int primary key, one int references one);
create view three as select id from one;
select typname, typlen, typbyval, typtype, typalign, typstorage from pg_type
 where typname in ('int4', 'text', 'bool', 'numeric', 'timestamptz', 'mood', 'short', 'pair', 'one', 'three', 'no_such_type')
 order by 1;
select t.typname, e.enumlabel from pg_type t join pg_enum e on e.enumtypid = t.oid order by t.typname, e.enumsortorder;
select typname from pg_type where typtype = 'e';
select a.attname, t.typname, t.typalign, t.typlen from pg_class c join pg_attribute a on a.attrelid = c.oid
  join pg_type t on t.oid = a.atttypid where c.relname = 'two' and a.attnum >= 0 order by t.typlen desc, a.attname;
create function note() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger b_first before insert or update on two for each row execute function note();
create trigger a_second before insert on two for each row execute function note();
create trigger last after delete on two for each statement execute function note('a', 'b');
select tgname, tgenabled from pg_trigger where not tgisinternal order by 1;
select tgname from pg_trigger where tgisinternal = false and tgrelid = 'two'::regclass order by 1;
select trigger_name, event_manipulation, event_object_table, action_order, action_statement, action_orientation, action_timing
  from information_schema.triggers order by 1, 2;
