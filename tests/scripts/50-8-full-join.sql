-- FULL JOIN: rows without a partner of either side; what is asked of its rows. Orders are said, since a hash table has its own.
create table a (id int, v text);
create table b (id int, w text);
insert into a values (1, 'one'), (2, 'two'), (3, 'three'), (null, 'none');
insert into b values (2, 'zwei'), (3, 'drei'), (3, 'trois'), (4, 'vier'), (null, 'nichts');
select a.id, v, b.id, w from a full join b on a.id = b.id order by a.id, b.id, v, w;
select a.id, v, b.id, w from a full outer join b on a.id = b.id where a.id is null or b.id is null order by v, w;
select coalesce(a.id, b.id) as id, count(*) from a full join b on a.id = b.id group by 1 order by 1;
select v, w from a full join b on a.id = b.id where a.id > 1 order by v, w;
select x.n, y.n from generate_series(1, 3) x (n) full join (select n from generate_series(2, 5) n) y on x.n = y.n order by 1, 2;
select a.id, b.id from a full join b on a.id = b.id where false;
select x.n, y.n from (values (1), (2)) x (n) full join (values (2), (3)) y (n) on x.n = y.n order by 1, 2;
select a.v, q.w from a full join (select * from b where id > 2) q on q.id = a.id order by 1, 2;
select count(*) from a full join b on a.id = b.id;
delete from a;
select a.id, v, b.id, w from a full join b on a.id = b.id order by a.id, b.id, w;
delete from b;
select a.id, b.id from a full join b on a.id = b.id;
