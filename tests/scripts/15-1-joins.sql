-- Joins of tables by hash: both are read whole, so that their rows get hint bits; rows without a partner.
create table c (id int, name text);
create table o (id int, c int, amount numeric);
insert into c values (1, 'Ann'), (2, 'Bob'), (3, 'Cem');
insert into o select g, g % 2 + 1, g * 1.5 from generate_series(1, 9) g;
select o.id, c.name from o join c on c.id = o.c order by o.id;
select c.name, o.id from c left join o on o.c = c.id and o.id > 7 order by c.id, o.id;
select c.name from o right join c on c.id = o.c where o.id is null;
select * from c join (select c as id, sum(amount) as total from o group by c) s using (id) order by id;
select count(*) from c cross join o;
select a.id, b.id from c a, c b where a.id < b.id order by 1, 2;
select c.id from c natural join (values (1), (3)) v (id) order by 1;
delete from o where id < 4;
select c.name, count(o.id) from c left join o on o.c = c.id group by c.name order by 1;
