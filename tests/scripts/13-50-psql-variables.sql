-- psql's variables: a row of a statement sets them with \gset, whoever sends the script puts them into what comes next.
create table t (a int primary key, b text);
insert into t values (1, 'one'), (2, 'it''s'), (3, null);
\set n 2
select b from t where a = :n;
select max(a) as m, min(b) as "Least" from t \gset
select * from t where a = :m;
select :'Least' || '!', ':m', ":m" from (select 1 as ":m") q;
select b as v from t where a = 2 \gset p_
select :'p_v', length(:'p_v');
select 't' as rel, 'b' as col \gset
select :"col" from :rel where a = :m - 2;
update :rel set b = :'Least' where a = :m returning a, b;
select a::text, 5::int, (array[4, 5, 6])[2] from :"rel" order by a limit 1;
\set m 1
select b from t where a = :m;
select pg_relation_filenode('t') as before \gset
truncate t;
select pg_relation_filenode('t') = :before as same;
do $$ begin for i in 1..2 loop insert into t values (i, ':rel'); end loop; end $$;
select * from t /* :rel */ where b <> '' -- :rel
order by a;
