-- nbtree 2.2, 9.2: several columns, DESC, NULLS FIRST, INCLUDE, unique with NULLs, expression and partial indexes.
create table n (o int, a int, b int, t text);
create index n_ab on n (a, b);
create index n_desc on n (a desc, t nulls first);
create index n_last on n (b desc nulls last, a);
create index n_incl on n (a) include (b, t);
create unique index n_null on n (b, a);
create index n_expr on n ((o % 13), lower(t));
create index n_part on n (o) where a is null;
insert into n select g, case when g % 13 = 0 then null else g % 13 end, g, case when g % 5 = 0 then null else 'K' || (g * 37 % 100) end from generate_series(1, 400) g;
insert into n select g, g % 20, null, 'same' from generate_series(701, 730) g;
update n set a = null where o % 50 = 0;
update n set t = 'T' where a is null;
delete from n where a = 3;
vacuum n;
insert into n select g, 3, g, 'x' from generate_series(801, 840) g;
