-- Rows of a query that INSERT takes: constants, columns and what is computed; a row of a table with each value of functions; without a table one row,
-- if WHERE holds.
create table t (id int not null, b text, c char(40), d text);
alter table t alter column d set storage plain;
insert into t select i, 'x', '', 'short' from generate_series(1, 5) i;
insert into t select i, null, 'q' || i, repeat('d', i) from generate_series(6, 8) i;
insert into t select 9, 'y' where false;
-- status: INSERT 0 0
insert into t select 9, 'y' where true;
-- status: INSERT 0 1
insert into t select t.id + 10 * g, b, c, d from t, generate_series(1, 3) g where t.id + g < 8 order by t.id, g;
insert into t (d, id) select d, id from t where b is null;
insert into t select 1, 'z' from generate_series(1, 9) g limit 4 offset 2;
insert into t select 100 + i, b, 'constant', d from t, generate_series(1, 2) i where id = 7 order by i;
insert into t select i from generate_series(5, 1, -2) i order by i;
insert into t select i + j, 'two' from generate_series(1, 3) i, generate_series(0, 20, 10) j order by i + j, i;
select count(*) from t, generate_series(1, 2) g where t.id > g;
create unique index on t (id) where b = 'only';
insert into t select 500, 'only', 'c' from generate_series(1, 2) i on conflict do nothing;
-- status: INSERT 0 1
insert into t select null, 'x' from generate_series(1, 2) i;
insert into t select i, 'last', 'c', 'd' from generate_series(600, 610) i;
checkpoint;
insert into t select i, 'image', 'c', 'd' from generate_series(700, 702) i;
