-- Functions that are IMMUTABLE or STABLE: in conditions, keys of indexes, CHECK, DEFAULT
-- (contain_mutable_functions; SPI_execute with read_only).
create table t (id int primary key, v text, n int) with (autovacuum_enabled = off);
insert into t select i, 'v' || i, i from generate_series(1, 400) i;
create function plus(a int, b int default 1) returns int language plpgsql immutable as $$ begin return a + b; end $$;
create function low(x text) returns text immutable strict language plpgsql as $$ begin return lower(x) || '.'; end $$;
create function vol(a int) returns int language plpgsql as $$ begin return a; end $$;
select plus(1), plus(1, 5), low('ABC'), low(null) is null;
create index t_low on t (low(v));
create index t_vol on t (vol(n));
insert into t values (401, 'V401', 401);
update t set v = 'W' where id = 401;
select id from t where low(v) = 'w.';
select id from t where id = plus(6);
select id from t where id = plus(n, 0) and id < 4 order by id;
create function top_id() returns int stable language plpgsql as $$ begin return (select max(id) from t); end $$;
select id, v from t where id = top_id();
update t set n = top_id() where id = top_id();
select n from t where id = 401;
create function count_below(k int) returns bigint stable language plpgsql as $$
declare c bigint;
begin
  select count(*) into c from t where id < k;
  return c;
end $$;
update t set n = count_below(id) where id < 5;
insert into t select 500 + i, 'x', count_below(1000) from generate_series(1, 3) i;
select id, n from t where id < 5 or id > 500 order by id;
create table c (a int check (plus(a) > 1), b int default plus(10), d text default low('Q')) with (autovacuum_enabled = off);
insert into c (a) values (1);
insert into c (a) values (0);
insert into c values (5, 6, 'x') returning *;
update c set a = -1 where a = 5;
select ctid, * from c;
create function swallow() returns int stable language plpgsql as $$ begin delete from c; return 1; end $$;
select swallow();
vacuum t;
