-- Conditions on columns behind those that bound an index scan are asked of each item of a leaf: only rows of which they are true are looked
-- at, get hint bits, and are counted in a bitmap (_bt_checkkeys).
create table t (a int, b int, c text, d numeric);
create index t_abc on t (a, b desc nulls last, c);
insert into t values (175, 17, 'x'), (176, 26, 'y'), (65, 11, 'z'), (1, null, 'y'), (null, 30, 'y'), (2, 28, null);
-- no condition on the first column
select count(b) from t where b between 25 and 15 + 20;
select count(*) from t where b is null;
insert into t select g, g % 7, substr('abcde', g % 5 + 1, 1) from generate_series(1, 400) g;
analyze t;
set enable_seqscan = off;
select count(*) from t where a between 20 and 60 and b > 4;
delete from t where a between 100 and 130 and c = 'b';
select count(*) from t where a >= 90 and a <= 140 and b < 3 and c is not null;
set enable_bitmapscan = off;
-- entries of rows that are dead to everybody are killed, those that do not match are not looked at
select count(*) from t where a > 100 and a < 140 and a > 110 and c = 'b';
select count(*) from t where a > 95 and b = 3;
select count(*) from t where a in (120, 121, 122, 123) and c in ('b', 'c');
update t set d = 1 where a > 380 and b is not null and c >= 'd';
select count(*) from t where c = 'a';
select count(*) from t where a = 7 and c = 'c' and b > 5000000000;
select count(*) from t where a > 390 and b < 5000000000 and b > -1;
