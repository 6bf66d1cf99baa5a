-- heap_wal 9.1: speculative insertion: INSERT … ON CONFLICT with and without a conflict; a unique violation.
create table t (a int primary key, b int);
insert into t values (1, 1) on conflict do nothing;
insert into t values (1, 2) on conflict do nothing;
-- status: INSERT 0 0
insert into t values (1, 3) on conflict (a) do update set b = excluded.b;
insert into t values (2, 3), (1, 4) on conflict (a) do update set b = t.b + excluded.b;
insert into t values (3, 1), (1, 1);
select * from t;
