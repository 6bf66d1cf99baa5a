-- A value of the TOAST table that a statement only hands on is not read on the way (toast_tuple_init): SET c = c keeps the pointer, another column or
-- row gets the value fetched from there, compressed as it was; what OFFSET passes over is not read at all (printtup).
create table t (a int primary key, c text, d text, v varchar) with (fillfactor = 40, toast_tuple_target = 128);
insert into t values (1, repeat('abcbacb', 60), repeat('x', 300), repeat('1234567', 50)), (2, repeat('ab', 4000), null, null);
create index on t (d);
update t set c = c where a = 1;
update t set c = c, v = v, a = a + 10 where a = 2;
update t set d = c where a = 1;
update t set c = d, d = c where a = 1;
update t set c = v where a = 1;
update t set c = case when a = 1 then d else c end, d = v;
alter table t alter column c set storage plain;
update t set c = c where a = 12;
update t set d = 'short' where a = 1;
insert into t select a + 100, c, d, v from t;
insert into t select a + 200, v, v, v from t where a = 1;
create table u as select a, c, d from t;
insert into u select a, case when a > 100 then d end, c from t;
insert into t values (1, 'z') on conflict (a) do update set c = t.c, d = t.v;
select c from t order by a limit 1 offset 2;
select count(c), min(d), max(v), string_agg(c, ',') from t;
vacuum t;
-- keys that are stored compressed
create table k (b text primary key);
create table r (b text references k, d text);
insert into k select repeat($$abcabcabd$$, 300);
insert into r values (repeat($$abcabcabd$$, 300), repeat($$x$$, 2000));
insert into r select b from r;
insert into k select b || 1 from k;
insert into r select b from k;
update k set b = b;
delete from r;
delete from k;
