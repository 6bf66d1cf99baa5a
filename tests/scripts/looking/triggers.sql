-- pg_trigger, and sequences with their system columns.
create table t (id int, v int);
create function f() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger zz before insert or update on t for each row execute function f();
create trigger aa after delete on t for each row execute function f();
create trigger bb after insert or update or delete on t for each statement execute function f('x', 'y');
select tgname, tgrelid::regclass, tgtype, tgenabled, tgisinternal, tgnargs from pg_trigger where tgrelid = 't'::regclass order by tgname;
select tgname, oid > 16384, tgparentid, tgconstraint, tgdeferrable, tginitdeferred from pg_trigger where tgrelid = 't'::regclass order by oid;
alter table t disable trigger zz;
select tgname, tgenabled from pg_trigger where tgrelid = 't'::regclass and tgenabled = 'D';
drop trigger bb on t;
select count(*) from pg_trigger where tgrelid = 't'::regclass and not tgisinternal;
create sequence s;
select ctid, xmin, xmax, cmin, cmax, tableoid::regclass from s;
select nextval('s');
select ctid, s.xmin, * from s;
select x.ctid, x.last_value from s x;
select pg_relation_size(99999), pg_table_size(99999), pg_total_relation_size(99999), pg_indexes_size(99999);
