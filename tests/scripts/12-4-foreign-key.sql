-- A foreign key: its checks lock the rows that are referred to.
create table p (a int primary key, b int);
create table c (x int primary key, a int references p);
insert into p values (1, 1), (2, 2);
insert into c values (10, 1), (11, 2);
insert into c values (12, 3);
update p set b = 5 where a = 1;
delete from p where a = 2;
update c set a = 1 where x = 11;
delete from p where a = 2;
