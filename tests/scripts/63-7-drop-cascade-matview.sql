-- DROP TABLE … CASCADE of what materialized views read takes them along.

create table base(id int primary key, b text);
insert into base select i, 'b' || i from generate_series(1, 20) i;
create view over_base as select id, b from base where id > 3;
create materialized view one as select b, count(*) as n from base group by b;
create materialized view two as select id from over_base;
create materialized view three as select n from one;
create view four as select * from three;
create unique index on one (b);
create index on two (id);
select count(*) from one, two, three;
drop table base;
drop table base cascade;
select count(*) from one;
select count(*) from four;
create table again(a int);
create materialized view m as select a, repeat('x', a) as t from again with no data;
insert into again values (1), (2);
refresh materialized view m;
begin;
drop table again cascade;
rollback;
select * from m;
drop table again cascade;
create table again(a int);
drop table again;
