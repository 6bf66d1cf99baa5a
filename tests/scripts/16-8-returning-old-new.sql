-- From 18 on RETURNING gives a row as it was and as it is; what older versions say of that.
create table t (id int primary key, v int default 5, s text);
insert into t values (1, 1, 'one'), (2, 2, 'two') returning old.id, new.id, id;
insert into t (id) values (3) returning old.*, new.*;
update t set v = v + 10 where id < 3 returning id, old.v, new.v, new.v - old.v as more;
update t set s = 'x' where id = 3 returning old.*, new.*, *;
insert into t values (3, 3, 'three') on conflict (id) do update set v = excluded.v returning old.v as before, new.v as after;
insert into t values (4, 4, 'four') on conflict (id) do update set v = excluded.v returning old.v is null as is_new, new.v;
delete from t where id = 2 returning old.v, new.v, v;
update t set v = 0 where id = 1 returning with (old as o, new as n) o.v, n.v, v;
update t set v = 1 where id = 1 returning with (old as o) o.v, new.v;
delete from t where id = 4 returning with (old as was) was.*;
update t set v = old.v where id = 1;
select old.v from t;
with x as (update t set v = 8 where id = 1 returning old.v as was, new.v as is) select * from x;
merge into t using (values (1, 9), (9, 9)) s(id, v) on t.id = s.id when matched then update set v = s.v when not matched then insert values (s.id, s.v) returning merge_action(), old.v, new.v, s.id;
select * from t order by id;
