-- A column's compression method, from 14 on: pglz is what there was; a server built without lz4, like those of the tests, refuses lz4.
create table t (a text, b int);
insert into t values (repeat('x', 3000), 1);
alter table t alter column a set compression lz4;
alter table t alter column a set compression pglz;
alter table t alter column b set compression pglz;
alter table t alter column a set compression other;
insert into t values (repeat('y', 3000), 2);
alter table t alter column a set compression default;
alter table t alter a set storage plain;
insert into t values (repeat(md5('a'), 300), 3);
insert into t values (repeat('z', 300), 4);
update t set a = repeat('z', 9000) where b = 4;
select b, length(a) from t;
