-- Rows as arguments, variables and results of functions in SQL and PL/pgSQL (exec_move_row, pl_exec.c;
-- ParseFuncOrColumn, parse_func.c).
create table t(x int, y text);
insert into t values (1, 'a'), (2, 'b'), (3, null);
create table before (a int);
create type pair as (a int, b text);
create table c(id int, v pair);
insert into c values (1, row(1,'a')), (2, '(2,"b c")'), (3, null);
create function doubled(r t) returns int language sql as 'select r.x * 2';
select doubled(t), t.doubled from t order by x;
select doubled(row(7,'q')), doubled(null);
select x from t where doubled(t) > 3 order by x;
create function label(r t) returns text language plpgsql as $$ begin return r.x || ':' || coalesce(r.y, '?'); end $$;
select label(t), t.label from t order by x;
create function next(r pair) returns pair language plpgsql as $$ begin r.a := r.a + 1; return r; end $$;
select next(v) from c order by id;
select (next(v)).a, (next(v)).b from c order by id;
select * from next(row(3,'q'));
insert into c values (40, next(row(40,'forty')));
select * from c order by id;
create function made(n int) returns pair language plpgsql as $$ declare r pair; begin r.a := n; r.b := 'made'; return r; end $$;
select made(5);
select * from made(6);
select (made(7)).b;
insert into c values (10, made(10));
create function written(n int) returns pair language plpgsql as $$ begin return row(n, 'w'::text); end $$;
select * from written(1);
create function pairs() returns setof pair language sql as $$ select 1, 'a' union all select 2, 'b' $$;
select pairs();
select * from pairs();
select (pairs()).b;
create function more() returns setof pair language plpgsql as $$
declare r pair;
begin
  for r in select x, y from t order by x loop
    r.b := upper(r.b);
    return next r;
  end loop;
  return query select 9, 'nine'::text;
end $$;
select * from more();
select more();
create function all_t() returns setof t language sql as 'select * from t order by x';
select all_t();
select y from all_t() where x > 1;
do $$
declare
  r t;
  q t%rowtype;
  p pair;
  one record;
  n int;
begin
  select * into r from t where x = 1;
  raise notice '% % %', r.x, r.y, r;
  q := r;
  q.y := 'changed';
  insert into t values (q.*);
  insert into t select r.*;
  p := row(4, 'four');
  raise notice 'p %', p;
  insert into c values (20, p);
  select v into p.a from c where false;
  select (v).* into p from c where id = 1;
  raise notice 'p % %', p.a, p.b;
  for one in select * from t order by x, y loop
    raise notice '%', one;
  end loop;
  raise notice '%', doubled(r);
  if p is null then raise notice 'null'; else raise notice 'not null'; end if;
  p := null;
  if p is null then raise notice 'null'; end if;
end $$;
select * from t order by x, y;
select * from c order by id;
create function keep() returns trigger language plpgsql as $$
begin
  if new is distinct from old then
    raise notice 'changed % to %', old, new;
  end if;
  insert into c values (new.x, row(new.x, new.y));
  return new;
end $$;
create trigger keep before update on t for each row execute function keep();
update t set y = 'z' where x = 3;
update t set y = y where x = 2;
select * from c order by id, v;
drop function doubled(t);
drop function next(pair);
drop function nothing(pair);
