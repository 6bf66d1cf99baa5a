-- heap_wal 2.7: a short value of a column SET STORAGE PLAIN has a short header where INSERT forms the tuple, before 14 UPDATE too, but not from COPY
-- and ON CONFLICT DO UPDATE.
create table t (a int primary key, b text, c text);
alter table t alter column b set storage plain;
insert into t values (1, 'abcdefgh', 'x'), (2, 'abcdefgh', 'y'), (3, 'abcdefgh', repeat('z', 300)), (4, 'abcdefgh', 'x');
update t set b = 'ijklmnop' where a = 1;
update t set b = b || 'qrs' where a = 2;
update t set c = 'other' where a = 3;
update t set c = 'other' where a = 1;
insert into t values (4, 'abcdefgh', 'x') on conflict (a) do update set b = excluded.b || 'i';
insert into t values (3, 'stuvw', 'x') on conflict (a) do update set b = excluded.b;
copy t from stdin;
5	abcdefgh	x
\.
create table u as select * from t;
insert into u select * from t where a > 2;
insert into u select a, b, c || '' from t;
