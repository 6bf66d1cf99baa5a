-- nbtree 1.7: keys that are dates and times.
create table n (o int, d date, t timestamp, z timestamptz);
create index n_d on n (d);
create index n_t on n (t);
create index n_z on n (z desc);
insert into n select g, '2020-01-01'::date + g * 37 % 365, ('2020-01-' || lpad((1 + g % 28)::text, 2, '0') || ' 12:' || lpad((g * 37 % 60)::text, 2, '0') || ':00')::timestamp, ('2021-01-01 00:' || lpad((g / 60)::text, 2, '0') || ':' || lpad((g % 60)::text, 2, '0') || '+00')::timestamptz from generate_series(1, 440) g;
insert into n values (901, 'infinity', '-infinity', 'infinity'), (902, null, null, null), (903, '0044-03-15 BC', '1999-12-31 23:59:59.999999', '2000-01-01 00:00:00+05');
delete from n where o % 3 = 0;
vacuum n;
