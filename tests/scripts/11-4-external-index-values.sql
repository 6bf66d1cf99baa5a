-- index_form_tuple: a value of the TOAST table goes into an entry as it was stored there, compressed, whatever the column's storage says
create table t (a int, c text, d text) with (toast_tuple_target = 128);
create index on t (c);
insert into t values (1, repeat('abcbacb', 60), repeat('x', 300));
insert into t values (2, repeat('ab', 4000), null);
insert into t select a + 2, c, d from t;
alter table t alter column c set storage plain;
create index on t (c, d);
insert into t select a + 4, c, d from t where a < 3;
update t set a = a + 10 where a = 2;
select a, length(c) from t order by c, d;
vacuum t;
