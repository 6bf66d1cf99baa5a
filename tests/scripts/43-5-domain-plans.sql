-- Plans with columns of domains: operators see the type that a domain is over.
create domain posint as int check (value > 0);
create domain word as text;
create domain short as varchar(10);
create table t (id posint primary key, z word, s short, n int);
insert into t select n, 'w' || n, 's' || n, n from generate_series(1, 300) n;
analyze t;
explain (costs off) select * from t where id = 1;
explain (costs off) select * from t where z = 'a' and n = id;
explain (costs off) select * from t where s = 'a' and id > 5 and z is null order by z;
explain (costs off) select * from t where id in (1, 2, 3);
explain (costs off) select * from t order by id limit 3;
explain (costs off, verbose) select id, id + 1, id::bigint from t;
select id, z from t where id between 5 and 7;
select count(*), max(id), min(z) from t where id > 290;
select a.id from t a join t b on a.id = b.n where b.id = 3;
update t set n = n + 1 where id = 5;
select id, n from t where n = id + 1;
