-- INSERT, UPDATE and COPY into ranges with a summary, ranges without one, VACUUM that summarises new ones.
create table t (a int, b text);
insert into t select g, 'r' || g from generate_series(1, 500) g;
create index t_a on t using brin (a) with (pages_per_range = 1);
create index t_b on t using brin (b) with (pages_per_range = 2);
insert into t values (7, 'r7');
insert into t values (-5, 'a'), (9000, 'zz'), (null, null), (null, null);
insert into t select g, 'r' || g from generate_series(501, 2500) g;
update t set a = a + 100000 where a = 30;
update t set a = a + 1 where a % 100 = 50;
copy t from stdin;
70000	seventy
\N	\N
5	five
\.
vacuum t;
insert into t select g, 'r' || g from generate_series(2501, 4000) g;
-- keys that grow: the summary moves to another page
create table w (a text);
alter table w alter a set storage plain;
insert into w select repeat(chr(97 + g % 26), 500) from generate_series(1, 300) g;
create index w_a on w using brin (a) with (pages_per_range = 1);
create table s (a text);
insert into s select repeat('m', 20 + g % 3) from generate_series(1, 1500) g;
create index s_a on s using brin (a) with (pages_per_range = 1);
vacuum s;
update s set a = repeat('z', 400) || a where ctid in ('(0,3)', '(1,4)', '(2,5)', '(3,6)');
delete from s where a < 'n';
vacuum s;
insert into s select repeat('b', 300) || g from generate_series(1, 700) g;
insert into s select null from generate_series(1, 300) g;
vacuum s;
begin;
insert into t values (-77, 'rolled back');
rollback;
-- all NULL: each NULL more writes the summary again
create table n (a int);
insert into n values (null);
create index n_a on n using brin (a);
insert into n values (null);
insert into n values (null);
insert into n values (1);
insert into n values (null);
truncate n;
insert into n values (3);
vacuum n;
create unlogged table u (a int);
create index u_a on u using brin (a);
insert into u select generate_series(1, 100);
vacuum u;
