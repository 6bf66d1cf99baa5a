-- a value that is compressed in its row is compressed in an entry that is made of the row as it is stored, however short it is
create table t (a int primary key, b text, c text, d int);
alter table t alter column c set storage main;
create index t_b on t (b);
insert into t select g, repeat('ab', 100 + g), repeat('c', 3000), g from generate_series(1, 12) g;
insert into t select g, repeat('ab', 100 + g), 'x', g from generate_series(13, 20) g;
create index t_d on t (d);
update t set d = d + 1 where a < 6;
select a from t where b = repeat('ab', 103);
create index t_b2 on t (b, a);
create unique index t_b3 on t (b);
update t set d = d + 1 where a < 16;
insert into t values (30, repeat('ab', 104), 'x', 1);
vacuum t;
reindex index t_b;
