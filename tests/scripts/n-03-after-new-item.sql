-- nbtree 3.4: ascending runs within groups: the page is split right after the new item, or by the fillfactor near its end; not for scattered rows.
create table n (a int, b int);
create index n_ab on n (a, b);
insert into n select g / 100, g % 100 * 10 from generate_series(0, 499) g;
insert into n select 1, 500 + g from generate_series(1, 150) g;
insert into n select 3, 2000 + g from generate_series(1, 250) g;
insert into n select g % 5, 5000 + g from generate_series(1, 200) g;
create table m (a int, b int);
create index m_ab on m (a, b);
insert into m select g % 50, (g * 7919) % 30011 from generate_series(1, 450) g;
