-- generic_plans and custom_plans of pg_prepared_statements.
create table t (a int primary key, b text);
insert into t select g, 'x' || g % 3 from generate_series(1, 100) g;
analyze t;
prepare q (int) as select * from t where a = $1;
prepare r as select count(*) from t;
execute q(1);
execute q(2);
execute r;
select name, generic_plans, custom_plans from pg_prepared_statements order by name;
execute q(1);
execute q(2);
execute q(3);
execute q(4);
execute q(5);
select name, generic_plans + custom_plans as total, generic_plans from pg_prepared_statements order by name;
