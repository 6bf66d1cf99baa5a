-- UPDATE … FROM and DELETE … USING read both tables whole, and change rows in the order that these have.
create table a (id int primary key, v int, c varchar(5));
create table b (id int, d int, name text);
insert into a select g, 0, 'c' || g from generate_series(1, 20) g;
insert into b values (3, 30, 'three'), (5, 50, 'five'), (9, 90, 'nine'), (40, 1, 'none');
update a set v = b.d, c = b.name from b where a.id = b.id;
update a set v = a.v + x.d from b as x where x.id = a.id and x.d > 40 returning a.id, a.v;
update a set c = 'too long for it' from b where a.id = b.id;
update a set nosuch = 1 from b where a.id = b.id;
update a set v = nosuch from b where a.id = b.id;
delete from a using b where a.id = b.id returning a.id;
select * from a order by id;
vacuum a;
create table e (id int primary key, a_id int references a, v int default 7);
insert into e select g, g, g from generate_series(1, 2) g;
update e set v = default from a where a.id = e.a_id;
select * from e order by id;
