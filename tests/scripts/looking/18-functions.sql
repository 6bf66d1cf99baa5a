-- Functions that are new in 17 and 18.
select array_sort(array[3, 1, 2]), array_reverse(array[1, 2, 3]), array_sort(array['b', null, 'a']), array_sort(array[1, null, 2], true), array_sort(array[1, null, 2], true, false), array_sort(array[2, null, 1], false, true);
select reverse('\x010203'::bytea), reverse('abc'), crc32('123456789'), crc32c('123456789'), crc32(''), crc32c('');
select uuid_extract_version(gen_random_uuid()), uuid_extract_version(uuidv7()), uuid_extract_version('00000000-0000-0000-0000-000000000000');
