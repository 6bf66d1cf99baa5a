-- An alias of the table that INSERT fills, ON CONFLICT ON CONSTRAINT, windows by their names.
create table t (id int primary key, v int check (v < 100), u int, constraint t_u unique (u));
create unique index t_v on t (v);
insert into t as x (id, v, u) values (1, 1, 1), (2, 2, 2) returning x.id, v;
insert into t as x values (1, 5, 9) on conflict (id) do update set v = x.v + excluded.v where x.v < 50 returning x.v;
insert into t values (7, 7, 1) on conflict on constraint t_u do update set v = t.v + 10;
insert into t values (2, 8, 8) on conflict on constraint t_pkey do nothing;
insert into t values (3, 6, 8) on conflict on constraint t_u do nothing;
insert into t values (3, 3, 3) on conflict on constraint t_v do nothing;
insert into t values (3, 3, 3) on conflict on constraint t_v_check do nothing;
insert into t values (3, 3, 3) on conflict on constraint nosuch do nothing;
select *, ctid from t order by id;
select id, row_number() over w, sum(v) over w from t window w as (order by id) order by id;
select row_number() over nosuch from t;
select 1 from t window w as (), w as ();
