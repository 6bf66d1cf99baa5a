-- A literal of regclass is read before the statement runs: also where no row would ask for it
create table t (x int primary key, y text);
insert into t select g, 'row ' || g from generate_series(1, 300) g;
select conname from pg_constraint where contype in ('n', 'c') and conrelid = 'nothing'::regclass order by 1;
select conname from pg_constraint where contype = 'p' and conrelid = 't'::regclass order by 1;
select x from t where x < 0 and tableoid = 'nothing'::regclass;
select case when x > 0 then 't'::regclass else 'nothing'::regclass end from t where x = 1;
select 1 where false and 'nothing'::regclass is null;
select to_regclass('nothing') is null, 't'::regclass, '"t"'::regclass;
select count(*) from t where tableoid = 't'::regclass and y like 'row 1%';
prepare p as select count(*) from t where tableoid = 'nothing'::regclass;
prepare q as select count(*) from t where tableoid = 't'::regclass;
execute q;
