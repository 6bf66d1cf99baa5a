-- pg_trigger_depth: how many triggers are within one another (MyTriggerDepth, src/backend/commands/trigger.c).
create table item (id int primary key, qty int, touched int default 0) with (autovacuum_enabled = off);
insert into item values (1, 10), (2, 20);
select pg_trigger_depth();
create function touch() returns trigger language plpgsql as $$
begin
  new.touched := old.touched + 1 + 10 * pg_trigger_depth();
  return new;
end $$;
create trigger item_touch before update on item for each row execute function touch();
update item set qty = qty + 1 where id = 1;
select ctid, * from item;
create function again() returns trigger as $f$
begin
  if pg_trigger_depth() < 3 then
    update item set qty = qty * 2 where id = new.id;
  end if;
  return null;
end $f$ language plpgsql;
create trigger item_again after update on item for each row execute function again();
update item set qty = 5 where id = 2;
select ctid, xmin = xmax as own, * from item;
-- an error brings it back
create function fails() returns trigger as $f$
begin
  raise exception 'at depth %', pg_trigger_depth();
end $f$ language plpgsql;
create trigger item_fails before delete on item for each row execute function fails();
delete from item where id = 1;
select pg_trigger_depth();
do $$
begin
  delete from item;
exception when others then
  raise notice '% (%)', sqlerrm, pg_trigger_depth();
end $$;
drop trigger item_fails on item;
create trigger item_when before insert on item for each row when (pg_trigger_depth() = 0) execute function fails();
insert into item values (3, 3);
vacuum item;
select ctid, * from item;
