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
