-- views among the tables of information_schema, and what may be written through
create table t (id int primary key, a int, b text);
create view plain as select id, a from t where a > 1;
create view above as select * from plain;
create view counted as select a, count(*) from t group by a;
create view joined as select x.id from t x join t y on y.id = x.a;
create view constant as select 1 as one;
create view checked as select * from t where a < 10 with check option;
create view local as select * from checked where a > 0 with local check option;
select table_name, table_type, is_insertable_into from information_schema.tables where table_name in ('t', 'plain', 'above', 'counted', 'joined', 'constant', 'checked') order by 1;
select table_name, check_option, is_updatable, is_insertable_into from information_schema.views where table_name in ('plain', 'above', 'counted', 'joined', 'constant', 'checked', 'local') order by 1;
select nosuch(a order by a) from t;
select nosuch(distinct a) from t;
select lower(b order by a) from t;
