-- heap_wal 4.1: columns in the predicate or an expression of an index decide over HOT too; keys are those of unique indexes only.
create table t (a int, b int, c text, d int);
create index t_lower on t (lower(c));
create index t_part on t (a) where d > 10;
create unique index t_b on t (b);
insert into t select g, g, 'Text ' || g, g from generate_series(1, 20) g;
update t set c = 'TEXT 1' where b = 1;
update t set d = 11 where b = 2;
update t set a = 33 where b = 3;
update t set b = 44 where b = 4;
delete from t where b = 5;
select count(*) from t where d > 10;
