-- MERGE by an index scan for each row of its source: entries of dead rows are marked when it begins anew.
create table t0 (a int primary key, c0 int, c1 text);
create index t0_c0 on t0 (c0);
insert into t0 values (2, 79454, 'ux');
update t0 set c0 = c0 + 1 where a between 2 and 19;
merge into t0 using (values (2), (3)) s (k) on s.k = t0.a when matched then delete;
