-- parse_target.c FigureColname, printtup.c: what the columns of a result are called, and how each type is printed.
create table t (a int primary key, b bigint, c numeric(8,2), d text, e char(6), f bool, g date, h timestamp, i timestamptz, j interval,
    k float8, l real, m bytea, n uuid, o jsonb, p int[], q text[], r inet, s varchar(20), u smallint, v json, w time);
insert into t values
    (1, 9223372036854775807, 12.5, 'one', 'ab', true, '2024-02-29', '2024-02-29 12:34:56.5', '2024-02-29 12:34:56+02', '1 year 2 mons 3 days 04:05:06.7',
     1.5, 0.1, '\x00ff', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"b": [1, 2.50, null], "a": "x"}', '{1,NULL,3}', '{a,"b c",NULL,"NULL"}', '10.0.0.1/8',
     'varying', 7, '{"b":  1}', '23:59:59.25'),
    (2, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
    (3, -1, -0.05, '漢字 und ü', 'wide', false, '0044-03-15 BC', 'infinity', '-infinity', '-1 day -00:00:01', 1e300, 1e-30, '', null, '[]', '{}', '{}',
     '::1', '', -32768, '[]', '00:00');
select * from t;
select ctid, xmin = xmax, cmin, cmax, t.a, tableoid = 0, xmax from t;
-- names
select 1, 'x', null, -1, 1 + 1, a, a as "Alias", t.b, a + 1, -a, a::text, (a + 1)::text, ctid::text, a::bigint::text, 1::numeric(4,2), '1'::int::text,
    true, false::text, array[1, 2], array[a]::int[], case when a = 1 then 'one' end, case when a = 1 then d else s end, case when a = 1 then 'x' else 'y'::text end,
    a = 1, a is null, a in (1, 2), not f, a between 1 and 2, f and f
from t;
select count(*), count(a), sum(b), min(d), max(a) as biggest, max(a) + 1, sum(a)::text, sum(c), min(f::text) from t;
select upper(d), lower(d), left(d, 2), length(d), substr(d, 1, 2), abs(a), a % 2, md5(d), lpad(d, 5, '.') from t;
select date '2024-01-01', interval '1 day', timestamp '2024-01-01 01:00', cast(a as smallint), cast('1' as double precision), 'x'::char(3), 'y'::varchar
from t where a = 1;
select generate_series(1, 3);
select generate_series(1, 3) as n, a from t limit 4;
select g, g * 2 from generate_series(1, 3) g;
select * from generate_series(1, 3);
select n from generate_series(1, 3) as s(n);
select a, e, d from t where false;
select a, d from t order by a desc for update;
-- many rows, and many bytes
select g, g % 7 as rest, repeat('x', g) from generate_series(1, 40) g;
select repeat('long ', 40), repeat('é', 130);
select e'two\nlines', e'tab\there', e'\r';
-- RETURNING
insert into t (a, d) values (10, 'ten'), (11, 'eleven') returning *;
insert into t (a, d) values (12, 'twelve') returning ctid, a, d as name, a + 1, upper(d);
insert into t (a) values (12) on conflict (a) do update set d = 'again' returning a, d;
insert into t (a) values (12) on conflict do nothing returning a;
update t set d = d || '!' where a >= 10 returning ctid, a, d, d is null;
update t set d = null where a = 11 returning t.a, d, case when d is null then '-' else d end;
delete from t where a >= 10 returning a, ctid, d::text;
delete from t where false returning *;
-- values that lie in the TOAST table
create table big (id int, v text);
alter table big alter v set storage external;
insert into big select g, repeat(substr('abcdef', g, 1), 3000) from generate_series(1, 3) g returning id, length(v);
select id, substr(v, 1, 3) from big;
select v, id from big where id = 2;
update big set id = id + 10 returning id, v;
delete from big where id = 11 returning v, id;
-- a statement that waits gives its rows when it goes on
--@ session A
begin;
update t set d = 'A' where a = 1 returning a, d;
--@ session B
update t set d = d || 'B' where a = 1 returning a, d;
--@ session A
commit;
--@ session B
select a, d from t where a = 1;
