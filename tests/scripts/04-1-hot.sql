-- heap_wal 4.1, 4.2: HOT when there is room and no indexed column has another value; setting a column to its own value changes none.
create table t (a int primary key, b int, c text);
create index t_b on t (b);
insert into t values (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three');
update t set c = 'uno' where a = 1;
update t set b = b where a = 2;
update t set b = 20 where a = 2;
update t set a = 30 where a = 3;
update t set c = null where a = 1;
update t set c = 'un' where a = 1;
update t set a = a, b = b, c = c;
select * from t;
select * from t where b = 20;
