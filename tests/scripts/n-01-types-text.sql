-- nbtree 1.7, 2.9.3: keys of variable length and by reference: text, varchar, char(n), bytea, uuid; suffix truncation cuts whole columns only.
create table n (o int, t text, v varchar(30), c char(12), y bytea, u uuid);
create index n_t on n (t);
create index n_v on n (v, o);
create index n_c on n (c);
create index n_y on n (y);
create unique index n_u on n (u);
insert into n select g, md5((g % 150)::text), 'v' || (g * 37 % 100), 'c' || (g % 60), md5(g::text)::bytea, md5('k' || g)::uuid from generate_series(1, 280) g;
insert into n values (401, '', '', '', '', '00000000-0000-0000-0000-000000000000'), (402, null, null, null, null, null), (403, null, null, null, null, null);
insert into n select g, repeat('long', 20) || g, 'w', 'd', md5(g::text)::bytea, md5('l' || g)::uuid from generate_series(404, 440) g;
insert into n select g, repeat('long', 200) || g, 'w', 'd', 'y', null from generate_series(441, 445) g;
update n set t = 'changed' where o between 100 and 150;
delete from n where o < 80;
vacuum n;
insert into n select g, 'again', 'again', 'again', md5(g::text)::bytea, md5('m' || g)::uuid from generate_series(501, 560) g;
