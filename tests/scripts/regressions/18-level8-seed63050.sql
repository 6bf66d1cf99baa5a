-- Found by the random scripts: page pa/main:: pd_lsn.
create table pa (id int primary key, c int unique);
create table ch (id serial primary key, p int default 1 references pa on delete set default on update no action, q int references pa (c) on delete cascade, t text default 'child');
insert into pa select g, g from generate_series(1, 30) g;
insert into ch (p, q) select g % 30 + 1, g % 20 + 1 from generate_series(1, 60) g;
delete from pa where id between 13 and 25;
delete from pa where id = 3;
