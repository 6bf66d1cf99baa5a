-- The range map grows over pages with summaries, which move away: 1,360 ranges fill its first page.
create table t (a int, b text);
alter table t alter b set storage plain;
insert into t select g, repeat('x', 7000) from generate_series(1, 1300) g;
create index t_a on t using brin (a) with (pages_per_range = 1);
insert into t select g, repeat('x', 7000) from generate_series(1301, 1370) g;
vacuum t;
update t set a = a - 5000 where a in (3, 500, 1365);
drop index t_a;
create index t_b on t using brin (a) with (pages_per_range = 1);
insert into t values (0, 'short'), (-1, repeat('x', 7000));
