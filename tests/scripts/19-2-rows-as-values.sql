-- Whole rows in PL/pgSQL: OLD and NEW as values, their columns by a star, rows that are assigned
-- (exec_eval_datum, exec_move_row; ExpandColumnRefStar; composite_to_json).
create table emp (id int primary key, name text, salary numeric(10,2), at date) with (autovacuum_enabled = off);
create table log (n int generated always as identity, op text, old_row jsonb, new_row jsonb) with (autovacuum_enabled = off);
create table emp_old (op text, id int, name text, salary numeric(10,2), at date) with (autovacuum_enabled = off);
create function audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new is not distinct from old then return new; end if;
    insert into log (op, old_row, new_row) values (tg_op, to_jsonb(old), to_jsonb(new));
  elsif tg_op = 'DELETE' then
    insert into log (op, old_row) values (tg_op, to_jsonb(old));
    insert into emp_old values ('D', old.*);
  else
    insert into log (op, old_row, new_row) values (tg_op, to_jsonb(old), to_jsonb(new));
  end if;
  return null;
end $$;
create trigger emp_audit after insert or update or delete on emp for each row execute function audit();
insert into emp values (1, 'Ann', 1000, '2024-01-02'), (2, 'Bob "b"', null, null);
update emp set salary = salary * 1.1 where id = 1;
update emp set name = name;
delete from emp where id = 2;
select n, op, old_row, new_row from log order by n;
select * from emp_old;
create function before_it() returns trigger language plpgsql as $$
declare
  keep emp%rowtype;
  r record;
  s record;
begin
  keep := new;
  keep.name := upper(keep.name);
  r := old;
  if old is null then r := row(0, 'none'::text); raise notice '%', r.f2; end if;
  s := keep;
  if s = new then raise notice 'same %', s.name; end if;
  if s <> new then raise notice 'other %', s; end if;
  insert into emp_old select 'B', s.*;
  if new.salary is null then new.salary := 1; end if;
  new := keep;
  return new;
end $$;
create trigger emp_before before insert or update on emp for each row execute function before_it();
insert into emp values (3, 'cid', null, null);
update emp set at = '2024-05-06' where id = 3;
select ctid, * from emp order by id;
select * from emp_old order by op, id;
do $$
declare r record; e emp; t text;
begin
  select * into r from emp where id = 3;
  e := r;
  t := e::text;
  raise notice '% % %', t, to_jsonb(e), row_to_json(r);
  if e is not null then raise notice 'whole'; end if;
  for e in select * from emp order by id loop
    insert into emp_old values ('L', e.*);
  end loop;
  select * into r from emp where id = 99;
  if r is null then raise notice 'nothing'; end if;
  insert into log (op, new_row) values ('R', to_jsonb(r));
end $$;
select op, id from emp_old order by op, id;
select op, new_row from log where op = 'R';
do $$ declare r record; begin for r in select * from emp loop insert into emp_old values ('L', r.*); end loop; end $$;
do $$ declare r record; begin raise notice '%', r; end $$;
do $$ declare r record; begin if r is null then raise notice 'is'; end if; end $$;
select to_jsonb(e) from emp e order by id;
select row_to_json(e) from emp e order by id;
select row_to_json(row(1, 'a', null, true, date '2024-01-01', timestamp '2024-01-01 10:00', array[1,2])), to_json(emp) from emp where id = 1;
select row_to_json(x) from (select id, name, array[id, 2] as both from emp) x order by id;
vacuum emp;
