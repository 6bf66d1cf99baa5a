-- A scan that begins anew marks the entries of dead rows that it has met on its leaf (btrescan).
create table t (a int primary key, c int, b text);
create index on t (c);
insert into t values (2, 79454, 'ux'), (3, 1, 'vx');
update t set c = c + 1 where a between 2 and 19;
delete from t using (values (2), (3), (4)) s (k) where s.k = t.a and t.a = 2;
update t set c = c + 1 where a = 3;
update t set b = 'w' from (values (3), (5)) s (k) where s.k = t.a;
create table u (a int primary key, c int);
create index on u (c);
insert into u values (7, 1), (8, 2);
update u set c = c + 1 where a < 9;
delete from u using (values (7), (8)) s (k) where s.k = u.a;
