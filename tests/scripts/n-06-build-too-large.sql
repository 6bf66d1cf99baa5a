-- nbtsort.c, _bt_check_third_page: a tuple of more than a third of a page stops a build; the leaves that were complete by then are in the WAL.
create table t (a int, b text);
alter table t alter column b set storage external;
insert into t select g, repeat('x', g % 20) || repeat('a', 300) from generate_series(1, 1500) g;
insert into t values (3001, 'b');
insert into t values (4000, 'zz' || repeat('x', 2000)), (4001, 'zz' || repeat('y', 3000)), (4002, 'zz' || repeat('z', 3500));
create index t_b on t (b);
create index t_part on t (b) where a > 3000;
create index t_small on t (b, a) where a < 4001;
