-- Groups of regular expressions (src/backend/utils/adt/regexp.c).
select regexp_match('cost=0.00..25.88 rows=6 width=36', 'rows=(\d+) width=(\d+)'), regexp_match('abc', 'x'), regexp_match('abc', 'b');
select (regexp_match('Seq Scan  (cost=0.00..25.88 rows=6 width=36)', 'rows=(\d+)'))[1]::int + 1;
select substring('rows=12' from 'rows=(\d+)'), substring('rows=12' from '\d+'), substring('rows=12', 'x'), substring('foobar' from 'o(.)b');
select regexp_match('aXbXc', '(.*)X(.*)'), regexp_match('ABC', '(b)', 'i');
select regexp_match('abc', 'b', 'g');
select regexp_replace('John Smith', '(\w+) (\w+)', '\2, \1'), regexp_replace('a.b.c', '\.', '\\', 'g'), regexp_replace('xyz', '(y)?', '<\1>', 'g');
select regexp_split_to_array('a,b;c', '[,;]'), regexp_split_to_array('hello', ''), regexp_split_to_array('a  b', '\s+'), regexp_split_to_array('abc', 'x');
select regexp_match('2024-05-17', '^(\d{4})-(\d\d)-(\d\d)$');
