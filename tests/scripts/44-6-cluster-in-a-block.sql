-- CLUSTER of a table within a transaction, committed and rolled back; dead rows are not sorted along.
create table c (id int primary key, grp int, pad text) with (autovacuum_enabled = off);
create index c_grp on c (grp);
insert into c select g, (g * 37) % 20, 'pad ' || g from generate_series(1, 150) g;
delete from c where id % 9 = 0;
begin;
cluster c using c_grp;
select ctid, id from c where id in (1, 2, 20) order by id;
rollback;
select ctid, id from c where id in (1, 2, 20) order by id;
begin;
update c set pad = 'new' where id = 5;
cluster c using c_grp;
insert into c values (1000, 3, 'late');
commit;
select ctid, id from c where id in (1, 2, 5, 20, 1000) order by id;
cluster c;
select count(*) from c;
