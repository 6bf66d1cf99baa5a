-- INOUT arguments of procedures and functions: the row that CALL gives, variables that get values, defaults and names.
create table n (a int, t text);
create procedure fill(cnt int, inout done int default 0) language plpgsql as $$
begin
  for i in 1..cnt loop
    insert into n values (i, 'x');
    done := done + 1;
  end loop;
end $$;
call fill(3);
call fill(2, 5);
call fill(cnt => 2);
call fill(2, done => 7);
call fill(done => 1, cnt => 1);
create procedure two(inout a int, inout b text) language plpgsql as $$ begin a := a * 2; b := b || '!'; end $$;
call two(1, 'x');
call two(1, null);
call two(b => 'q', a => 4);
create procedure bad(inout a int) language plpgsql as $$ begin return 1; end $$;
create procedure bad(inout a int) language plpgsql as $$ begin a := 3; return; end $$;
call bad(1);
do $$
declare x int := 1; y text := 'a'; z int;
begin
  call two(x, y);
  insert into n values (x, y);
  call two(x, y);
  insert into n values (x, y);
  call fill(1, z);
  insert into n values (z, 'z');
  call fill(2, done => x);
  insert into n values (x, 'done');
  begin
    call fill(2);
  exception when syntax_error then insert into n values (0, sqlerrm);
  end;
  begin
    call two(x + 1, y);
  exception when syntax_error then insert into n values (0, sqlerrm);
  end;
end $$;
select * from n order by a, t;
create procedure outer_(inout x int) language plpgsql as $$
declare y text := 'q';
begin
  call two(x, y);
  insert into n values (x, y);
  commit;
  x := x + 1;
end $$;
call outer_(10);
begin;
call outer_(10);
rollback;
create procedure commits(cnt int, inout done int default 0) language plpgsql as $$
begin
  for i in 1..cnt loop
    insert into n values (100 + i, 'proc');
    done := done + 1;
    if i % 2 = 0 then commit; end if;
  end loop;
  rollback;
end $$;
call commits(5);
select a from n where t = 'proc' order by a;
create function f(inout a int, out b int) language plpgsql as $$ begin b := a + 1; a := a * 2; end $$;
select * from f(3);
create function g(inout a int) language plpgsql as $$ begin a := a * 2; end $$;
select g(3), g(a) from n where t = '!';
select * from g(4);
create function k(a int, inout b int default 4, out c int) language sql as $$ select b + 1, a $$;
select * from k(1);
select * from k(1, 2);
drop procedure two(int, text);
select count(*) from n;
