-- What is not read is not fetched from the TOAST table, whose pages are then neither pruned nor get hint bits: IS NULL and count ask the row,
-- = and <> of text and bytea compare lengths first (texteq, byteaeq); char(n) is fetched.
create table t (a int, b text, c varchar(9000), d char(5000), e bytea) with (fillfactor = 50);
alter table t alter column b set storage external;
alter table t alter column c set storage external;
alter table t alter column d set storage external;
alter table t alter column e set storage external;
insert into t select g, repeat('b', 7984), repeat('c', 7984), 'd', repeat('e', 3000)::bytea from generate_series(1, 6) g;
update t set b = repeat('x', 7984) where a < 4;
update t set b = repeat('y', 7984), c = repeat('z', 7985) where a < 3;
select count(b), count(c), count(*) from t;
select a from t where b is null or c is not null and e is null;
select a from t where b = 'short' or c <> 'short' and e = '\x00';
select a from t where b in ('short', 'other');
select a from t where b not in ('short', null);
select a from t where d = 'd';
select a from t where b = repeat('x', 7984);
select a from t where c in ('short', repeat('z', 7985));
select a from t where b in ('1', '2', '3', '4', '5', '6', '7', '8', '9', '10');
select a from t where e <> repeat('e', 3000)::bytea;
select a from t where b > 'short';
-- from nine elements on a list is looked up by hash, which reads the value: IN from 14 on, NOT IN from 15 on
create table u (a int, b text);
alter table u alter column b set storage external;
insert into u select g, repeat('b', 5292) from generate_series(1, 8) g;
update u set b = repeat('n', 5292) where a % 2 = 0;
select a from u where b in ('1', '2', '3', '4', '5', '6', '7', '8', '9');
create table v (a int, b text);
alter table v alter column b set storage external;
insert into v select g, repeat('b', 5292) from generate_series(1, 8) g;
update v set b = repeat('n', 5292) where a % 2 = 0;
select a from v where b not in ('1', '2', '3', '4', '5', '6', '7', '8', '9');
-- nor is a value fetched that an operator would compare with NULL, which is not called then
create table w (a int, b text, n text);
alter table w alter column b set storage external;
insert into w select g, repeat('b', 5292), null from generate_series(1, 8) g;
update w set b = repeat('n', 5292) where a % 2 = 0;
select a from w where b = any (array[null, null]);
select a from w where a in (1, 2) and b in (null, 'short', null);
select a from w where b not in ('short', null);
select a from w where b = n;
select a from w where b > n;
select a, b || n from w where a < 3;
select a from w where b in ('short', repeat('b', 5292), null) and a = 1;
select a from w where upper(b) = n;
