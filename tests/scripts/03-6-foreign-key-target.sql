-- a foreign key that comes or goes changes the triggers of the table that it refers to: all sessions forget where they put rows last
create table p (a int primary key, b text) with (fillfactor = 20);
insert into p select g, repeat('x', 100) from generate_series(1, 100) g;
delete from p where a < 20;
vacuum p;
insert into p values (201, 'y');
--@ session B
insert into p values (202, 'y'), (203, repeat('y', 1000)), (204, repeat('y', 1000));
insert into p values (205, 'y');
create table r (a int, p int references p);
insert into p values (206, 'y');
--@ session A
insert into p values (207, 'y');
alter table r drop column p;
insert into p values (208, 'y');
--@ session B
insert into p values (209, 'y'), (210, repeat('y', 1000));
create table s (a int, p int references p);
--@ session A
insert into p values (211, repeat('y', 1000)), (212, 'y');
--@ session B
drop table s;
--@ session A
insert into p values (213, 'y');
--@ session B
insert into p values (214, 'y');
