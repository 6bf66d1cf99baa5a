-- Functions that give rows: RETURN NEXT, RETURN QUERY, and functions in SQL that change rows
-- (exec_stmt_return_next, exec_stmt_return_query; fmgr_sql).
create table t (id int primary key, v text, n int) with (autovacuum_enabled = off);
insert into t select i, 'v' || i, i % 3 from generate_series(1, 12) i;
create function evens(top int) returns setof int language plpgsql as $$
begin
  for i in 1..top loop
    if i % 2 = 0 then return next i; end if;
  end loop;
end $$;
select * from evens(7);
select e from evens(5) as e;
select sum(e) from evens(9) e where e > 2;
select t.id, e from t, evens(t.id) e where t.id < 5;
select t.id, e.x from t left join lateral evens(t.n) as e(x) on true where t.id < 4 order by 1;
select * from evens(4) with ordinality;
create function named(top int) returns table (id int, label text) language plpgsql as $$
declare r record;
begin
  for r in select t.id, t.v from t where t.id <= top order by t.id desc loop
    id := r.id;
    label := r.v || '!';
    return next;
  end loop;
end $$;
select * from named(3);
select label from named(3) x where x.id = 2;
select n.* from named(2) as n(a, b);
select x.label, t.n from named(4) x join t using (id) order by 1;
create function by_query(m int) returns table (a int, b text) language plpgsql as $$
begin
  return query select t.id, t.v from t where t.n = m order by 1;
  if not found then return; end if;
  return query execute 'select id, v from t where n = $1 order by id limit 1' using m;
end $$;
select * from by_query(1);
select * from by_query(9);
create function wrong_types() returns table (a int, b text) language plpgsql as $$ begin return query select id::bigint, v from t; end $$;
select * from wrong_types();
create function wrong_count() returns setof int language plpgsql as $$ begin return query select id, n from t; end $$;
select * from wrong_count();
create function whole(m int) returns setof t language plpgsql as $$
declare r t%rowtype;
begin
  for r in select * from t where n = m order by id loop
    r.v := upper(r.v);
    return next r;
  end loop;
  return query select * from t where id = 12;
end $$;
select * from whole(2);
select id, v from whole(0) w where w.id < 7;
create function two(out a int, out b text) language plpgsql as $$ begin a := 1; b := 'x'; end $$;
select * from two();
create function one_out(x int, out y int) as $$ begin y := x * 2; end $$ language plpgsql;
select one_out(4), (select y from one_out(5));
create function changed(k int) returns setof int language plpgsql as $$
begin
  return query update t set n = n + 10 where id <= k returning id;
end $$;
select count(*) from changed(3);
select ctid, id, n from t order by id limit 4;
-- in SQL
create function pop(k int) returns setof t language sql as $$
  delete from t where id in (select id from t order by id limit k) returning *;
$$;
select count(*), min(id) from pop(2);
select id, n from pop(1);
create function add_one(i int, w text) returns void language sql as $$
  insert into t values (i, w, 0);
  update t set n = n + 1 where id = i;
$$;
select add_one(100, 'hundred');
select add_one(100, 'again');
select ctid, id, v, n from t where id = 100;
create function bump(i int) returns int language sql as 'update t set n = n + 1 where id = i returning n';
select bump(100), bump(100);
select bump(-1) is null;
select i, bump(i) from generate_series(99, 101) i;
create function pair(int, int default 5) returns bigint language sql as $$ insert into t values ($1, 'd', $2); select count(*) from t where id >= $1 $$;
select pair(200);
select pair(201, 7);
select id, n from t where id > 150 order by 1;
create function strict_one(int) returns int strict language sql as 'select $1 + 1';
select strict_one(null) is null, strict_one(3);
create function at_column(x int) returns text language sql as 'select v from t where id = x';
select id, at_column(id) from t where id > 99 order by id;
create function bad_sql() returns int language sql as 'insert into t values (1)';
create function bad_count() returns int language sql as 'select 1, 2';
create function bad_type() returns int language sql as $$ select 'x'::text $$;
create function no_table() returns void language sql as 'delete from nosuch';
drop function pop(int);
select * from pop(1);
create function stable_count() returns bigint language sql stable as 'select count(*) from t';
select stable_count();
create function stable_writes() returns int language sql stable as 'insert into t values (300) returning id';
select stable_writes();
create function pl_stable(i int) returns text stable language plpgsql as $$ begin return (select v from t where id = i); end $$;
select pl_stable(100), pl_stable(5);
create function pl_writes() returns int stable language plpgsql as $$ begin delete from t; return 1; end $$;
select pl_writes();
select * from nosuch_function(1);
select evens(3);
select named(1);
create function next_in_scalar() returns int language plpgsql as $$ begin return next 1; end $$;
create function param_in_set() returns setof int language plpgsql as $$ begin return 1; end $$;
create function param_in_out(out x int) language plpgsql as $$ begin return 1; end $$;
vacuum t;
