-- NULLS NOT DISTINCT, from 15 on: NULLs are duplicates, also where an index is built (nbtree 2)
create table y (a int unique nulls not distinct, b int);
create unique index on y (b) nulls not distinct;
insert into y values (1, 1);
insert into y values (null, 2);
insert into y values (null, 3);
insert into y values (2, null);
insert into y values (3, null);
create table z (a int);
insert into z values (null), (null);
create unique index on z (a) nulls not distinct;
alter table z add unique nulls not distinct (a);
