-- nbtree 1.7, 2.9, 9.1: keys that are numbers: boolean, int2, int4, int8, numeric, float4, float8, oid; splits, high keys, posting lists where equal keys have equal bytes.
create table n (o int, b bool, s int2, i int4, l int8, u numeric, f float4, d float8);
create index n_b on n (b);
create index n_s on n (s);
create index n_i on n (i);
create index n_l on n (l);
create index n_u on n (u);
create index n_f on n (f);
create index n_d on n (d);
insert into n select g, g % 3 = 0, g * 7919 % 251, g * 7919 % 1009, g * 7919 % 100003, (g * 7919 % 1009) / 4.0, g % 40, (g * 7919 % 1009) / 8.0 from generate_series(1, 450) g;
insert into n values (901, null, -1, -2147483648, 9223372036854775807, -0.5, '-0', 'NaN'), (902, true, null, null, null, 'NaN', 'Infinity', '-Infinity');
insert into n values (903, false, 32767, 2147483647, -9223372036854775808, 100000000000000000000.000001, 1e-30, 1e300);
delete from n where o % 5 = 0;
vacuum n;
insert into n select g, g % 2 = 0, g % 17, g, g, g, g, g from generate_series(1000, 1060) g;
select count(*) from n where i < 100;
