-- Range types: what is stored, input and output, constructors, functions, operators, the canonical form, errors.
create table r (id int, i4 int4range, i8 int8range, n numrange, d daterange, ts tsrange, tz tstzrange);
insert into r values
  (1, '[1,5)', '[1,5]', '[1.50,2.5]', '[2024-01-01,2024-01-31]', '[2024-05-01 09:00, 2024-05-01 10:00)', '[2024-05-01 09:00+00, 2024-05-01 10:00+00)'),
  (2, '(1,5]', '(1,)', '(,100.00)', '(2024-01-01,)', '(,2024-05-01 10:00]', '(,)'),
  (3, 'empty', '[3,3)', '(1,1]', ' EMPTY ', '[2024-05-01,2024-05-01)', 'empty'),
  (4, null, '[9000000000,9000000001]', '[1,12345678901234567890.123456789]', '[,infinity]', '["2024-05-01 09:00","infinity"]', null),
  (5, '[7,7]', '[-5,-5]', '[-1,1]', '[-infinity,2000-01-01)', '(-infinity,infinity)', '[epoch,2024-01-01 00:00:00.123456+00]');
select * from r order by id;
select id, lower(i4), upper(i4), isempty(i4), lower_inc(i4), upper_inc(i4), lower_inf(i4), upper_inf(i4) from r order by id;
select id, lower(d), upper(d), lower_inf(n), upper_inf(d), upper(n) - lower(n), upper(ts) - lower(ts) from r order by id;
select int4range(1, 10), int4range(1, 10, '[]'), int4range(null, 10, '()'), int4range(3, 3), int8range(1, null, '(]'), numrange(1, 2.50, '[]'),
  daterange('2018-01-02', '2018-02-03'), daterange('2018-01-02', null, '()'), tsrange('2018-01-02', '2018-01-02 12:00'), tstzrange(null, null);
select a, b, a && b, a @> b, a <@ b, a << b, a >> b, a &< b, a &> b, a -|- b, a = b, a <> b, a < b, a <= b, a > b, a >= b, a * b, range_merge(a, b)
  from (values ('[1,5)'::int4range, '[3,8)'::int4range), ('[1,5)', '[5,8)'), ('[1,5)', 'empty'), ('empty', 'empty'), ('[1,)', '(,5]'),
    ('[1,10)', '[2,3)'), ('[4,5]', '[1,2]'), ('(,)', '[1,1]'), ('[1,5)', '[1,5]')) v (a, b);
select '[1,5)'::int4range + '[5,8)', '[1,5)'::int4range - '[3,8)', '[1,5)'::int4range - '[1,2]', int4range(1, 5) - int4range(1, 5), numrange(1.5, 3) + numrange(2, 4.5),
  '[1.0,2.0)'::numrange -|- '[2.0,3.0)', '[1.0,2.0]'::numrange -|- '[2.0,3.0)', '[2024-01-01,2024-01-05]'::daterange -|- '[2024-01-06,2024-02-01)';
select int4range(1, 5) @> 3, 5 <@ int4range(1, 5), numrange(1, 5) @> 4.9, daterange('2024-01-01', '2024-02-01') @> date '2024-01-31',
  tsrange('2024-01-01', '2024-02-01') @> timestamp '2024-02-01', int8range(1, 5) @> 3::bigint, int4range(1, 5) @> '[2,3)', 'empty' <@ int4range(1, 5);
select '[1,5)'::int4range::text, '["2024-01-01 10:00:00",)'::tsrange::text, int4range '[2,4]', cast('[1,2)' as numrange), ('[3' || ',9]')::int4range;
select id from r order by i4, id;
select id from r order by n desc nulls last, id;
select distinct i4 from r order by i4;
select i4, count(*) from r group by i4 order by i4;
select min(id) from r where i4 && '[1,3)';
select id from r where tz @> timestamptz '2024-05-01 09:30+00' order by id;
select id from r where d @> '2024-01-15'::date and not isempty(d) order by id;
select lower('ABC'), upper('abc'), coalesce(lower(i4), 0) from r where id < 4 order by id;
update r set i4 = int4range(lower(i4), upper(i4) + 1) where id < 3;
update r set i8 = i8 * '[2,4)' where id = 1;
update r set n = null where id = 2;
delete from r where i4 = 'empty';
select id, i4, i8, n from r order by id;
select '[5,1)'::int4range;
select int4range(5, 1);
select '[1,5'::int4range;
select '1,5)'::int4range;
select '[1 5)'::int4range;
select '[1,5) x'::int4range;
select '[1,2,3)'::int4range;
select 'empty x'::int4range;
select '[a,b)'::int4range;
select int4range(1, 2, '[[');
select int4range(1, 2, null);
select '[1,2)'::int4range + '[4,5)';
select '[1,10)'::int4range - '[4,5)';
select '[1,2147483647]'::int4range;
select '[1,9223372036854775807]'::int8range;
select int4range(1, 5) @> 3::bigint;
select int4range(1, 5) && int8range(1, 5);
select numrange(1, 5) @> 3;
select isempty('empty');
select int4range(1::bigint, 5);
create table k (during daterange primary key, note text);
insert into k values ('[2024-01-01,2024-02-01)', 'a'), ('[2024-01-01,2024-02-01]', 'b'), ('empty', 'c'), ('(,)', 'd');
insert into k values ('[2024-01-01,2024-01-31]', 'x');
select * from k order by during;
select note from k where during = '[2024-01-01,2024-02-02)';
create index on r (n, id);
vacuum r;
create table c (during tsrange not null check (not isempty(during)), room int default 1);
insert into c values ('[2024-05-01,2024-05-02)');
insert into c values ('empty');
insert into c values (null);
