-- Text: regular expressions with rows and places, format, bytes, digests, other spellings (regexp.c, varlena.c).
select regexp_matches('foobarbequebazilbarfbonk', '(b[^b]+)(b[^b]+)', 'g');
select * from regexp_matches('a1b2c3', '[a-z](\d)', 'g') m;
select regexp_split_to_table('a, b,c', '\s*,\s*');
select * from regexp_split_to_table('hello world', '\s+') with ordinality;
select regexp_split_to_array('a', 'b', 'g');
select regexp_instr('foobarbaz', 'ba.'), regexp_instr('foobarbaz', 'ba.', 5), regexp_instr('foobarbaz', 'ba.', 1, 2), regexp_instr('foobarbaz', 'ba.', 1, 1, 1), regexp_instr('foobarbaz', '(b)(a.)', 1, 1, 0, '', 2), regexp_instr('abc','x');
select regexp_instr('foobarbaz', 'ba.', 0);
select regexp_count('ABCABC', 'b', 1, 'i'), regexp_count('aaa', 'a', 2);
select regexp_like('Hello', 'hello'), regexp_like('Hello', 'hello', 'i');
select regexp_substr('foobarbaz', 'ba.', 1, 2), regexp_substr('foobar', '(o)(b)', 1, 1, '', 2), regexp_substr('ABC', 'b', 1, 1, 'i');
select regexp_replace('foobarbaz', 'b.', 'X', 4), regexp_replace('foobarbaz', 'b.', 'X', 1, 2), regexp_replace('foobarbaz', 'B.', 'X', 1, 0, 'i');
select quote_nullable(null), quote_nullable('it''s'), quote_nullable(42), quote_literal(42.5), quote_literal(E'a\\b');
select convert_from('\xff', 'UTF8');
select convert_to('a', 'FOO');
select get_bit('\x1234'::bytea, 4), set_bit('\x1234'::bytea, 0, 1), get_byte('\x1234'::bytea, 1), set_byte('\x1234'::bytea, 0, 255), bit_count('\x1234'::bytea);
select get_bit('\x1234'::bytea, 16);
select set_bit('\x1234'::bytea, 0, 2);
select set_byte('\x1234'::bytea, 2, 1);
select get_byte('\x1234'::bytea, -1);
select sha224('abc'), sha256('abc');
select sha384('abc');
select sha512('abc');
select to_hex(255), to_hex(-1), to_hex(255::bigint);
select to_bin(10), to_oct(64), to_bin(-1), to_oct(8::bigint);
select casefold('ABC ß');
select unistr('\0041\+000042\u0043\U00000044\\');
select U&'\0041bc', U&'d\0061t\+000061';
select 'a'
  'b', 'x' -- comment
  'y';
select format('%s %I %L', 'a', 'B c', 'it''s'), format('%1$s %2$s %1$s', 'a', 'b'), format('%10s|%-10s|', 'a', 'b'), format('%*s', 5, 'a'), format('%s', null);
select ascii('€'), chr(8364), md5('a'), translate('12345', '143', 'ax'), reverse('abc'), repeat('ab', 2), btrim('xxabxx', 'x'), ltrim('  a'), overlay('abcdef' placing 'XX' from 2 for 3), starts_with('abc', 'ab');
select parse_ident('a.b."C d"'), string_to_array('a b', ' ');
select regexp_matches('foobarbequebaz', '(bar)(beque)');
select regexp_matches('abc', 'x');
select regexp_split_to_table('aXbxc', 'x', 'i');
select regexp_split_to_array('aXbxc', 'x', 'i');
select regexp_split_to_table('abc', 'b', 'g');
select concat('a', null, 1, true), concat_ws(',', 'a', null, 'b'), left('abc', -1), right('abc', -1), rpad('x', 3, 'yz'), initcap('hello wORLD-foo');
select format('%2$s %1$I', 'A b', 'x'), format('%-5s|%5s|%L', 'ab', 'cd', null), format('%3$s %s', 'a', 'b', 'c'), format('%%'), format('%-*s|', 4, 'x'), format('%*1$s|', 5, 'x');
select format('%d', 1);
select format('%s');
select format('%0$s', 1);
select format('%', 1);
select format('%5', 1);
select format('%I', null);
select format('%*1s', 5, 'a');
select format(null, 1), format('x');
select parse_ident('a.b."C d"'), parse_ident('Foo.bar'), parse_ident('a b', false);
select parse_ident('a b');
select parse_ident('');
select parse_ident('.a');
select parse_ident('a.');
select parse_ident('"a');
select quote_literal(42), quote_literal(true), quote_literal(date '2024-01-01'), quote_nullable(1.5), quote_nullable(null::int);
select sha256('\x'), sha224('\x'), sha512('abc'::bytea) = sha512('abc'::bytea), length(sha384('x')), length(sha512(repeat('a', 200)::bytea)), sha512(repeat('a', 200)::bytea), sha224(repeat('a', 100)::bytea);
select convert_from(convert_to('héllo', 'UTF8'), 'UTF8'), convert_from('\xe282ac', 'utf8');
select convert_from('\xe282', 'UTF8');
create table s (a text);
insert into s values ('x=1, y=2'), ('none'), (null), ('z=9');
select a, m from s, regexp_matches(a, '(\w)=(\d)', 'g') m order by m;
select a, regexp_match(a, '\d') from s order by a;
select a, p from s, regexp_split_to_table(a, ', ') p order by a, p;
select 'one'
' two'
' three';
select 'x', length('x'
'y');
