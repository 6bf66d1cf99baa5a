-- views among the tables of information_schema, and what may be written through
create table t64 (id int primary key, a int, b text);
create view plain64 as select id, a from t64 where a > 1;
create view above64 as select * from plain64;
create view counted64 as select a, count(*) from t64 group by a;
create view joined64 as select x.id from t64 x join t64 y on y.id = x.a;
create view constant64 as select 1 as one;
create view checked64 as select * from t64 where a < 10 with check option;
create view local64 as select * from checked64 where a > 0 with local check option;
select table_name, table_type, is_insertable_into from information_schema.tables where table_name in ('t64', 'plain64', 'above64', 'counted64', 'joined64', 'constant64', 'checked64') order by 1;
select table_name, check_option, is_updatable, is_insertable_into from information_schema.views where table_name in ('plain64', 'above64', 'counted64', 'joined64', 'constant64', 'checked64', 'local64') order by 1;
select nosuch(a order by a) from t64;
select nosuch(distinct a) from t64;
select lower(b order by a) from t64;
