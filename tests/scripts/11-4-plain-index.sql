-- An index entry of a column SET STORAGE PLAIN has the header that the row's value has, short or long (index_form_tuple): the index's column is plain
-- too, so fill_val leaves headers as they come. An expression's column has the storage of its type, and short headers.
create table t (a int primary key, b text, n numeric, y bytea, v varchar(300)) with (fillfactor = 50);
alter table t alter column b set storage plain, alter column n set storage plain;
alter table t alter column y set storage plain;
alter table t alter column v set storage plain;
create index t_b on t (b);
create index t_nyv on t (n, y) include (v);
create index t_lower on t (lower(b), (b || 'x'));
create unique index t_vb on t (v, b) where n > 0;
insert into t values (1, 'abcdefgh', 1.5, '\x0102', 'one'), (2, repeat('b', 126), -2, '\x', 'two'), (3, repeat('c', 127), 3e20, null, 'three');
insert into t (a, b) values (4, null), (5, '');
insert into t select a + 10, b, n, y, v || 'x' from t;
-- 14 and later form the new version with the table's columns, 13 with the plan's
update t set b = 'ijklmnop' where a = 1;
update t set b = b || 'qrs', n = n + 1 where a = 2;
update t set v = 'other' where a in (3, 11);
update t set a = a + 100 where b = 'abcdefgh';
insert into t values (1, 'excluded', 7, '\x07', 'seven') on conflict (a) do update set b = excluded.b, n = excluded.n;
insert into t values (2, 'excluded', 8, '\x08', 'eight') on conflict (a) do update set b = excluded.b || '!', v = excluded.v;
insert into t values (6, 'speculative', 8, '\x08', 'nine') on conflict (a) do nothing;
copy t from stdin;
20	abcdefgh	1.5	\\x0102	twenty
21	copied	2.5	\\x	twenty one
\.
select a from t where b = 'abcdefgh';
select count(*) from t where b > 'c';
-- built of rows with both sorts of headers
create index t_b2 on t (b);
create index t_n2 on t (n, a, v);
reindex index t_b;
-- high keys keep the headers of their values
insert into t (a, b, v) select g, 'key ' || g, g from generate_series(1000, 1400) g;
insert into t (a, b) select g, 'many' from generate_series(2000, 2300) g;
update t set b = 'key of ' || a where a between 1100 and 1150;
-- back again: entries of the same row versions get short headers, as the index is not plain any more
alter table t alter column b set storage extended;
insert into t values (30, 'abcdefgh', 30, '\x30', 'thirty');
update t set n = n + 1 where a = 20;
update t set b = 'ijklmnop' where a = 21;
create index t_b3 on t (b, a);
reindex index t_b2;
vacuum t;
-- a key that another table refers to: equal, whatever the headers
create table k (b text primary key, c int);
create table r (b text references k, c int);
alter table k alter column b set storage plain;
alter table r alter column b set storage plain;
insert into k values ('short', 1), ('other', 2);
insert into r values ('short', 1), (null, 2), ('other', 3);
update r set b = 'sh' || 'ort' where c = 1;
update r set b = 'short' where c = 3;
update k set b = 'sho' || 'rt' where c = 1;
update k set b = 'new' where c = 2;
delete from k where b = 'short';
insert into r values ('none', 4);
