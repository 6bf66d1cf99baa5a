-- nbtree 5.4, 5.5: version churn: bottom-up deletion (14 and later) in the index whose key stays; in the index on the changed column only 14 gets the hint.
create table n (id int primary key, same int, changed int, f char(60));
create index n_same on n (same, f);
create index n_changed on n (changed, f);
insert into n select g, g, g, 'f' from generate_series(1, 70) g;
update n set changed = changed + 1000 where id <= 70;
update n set changed = changed + 1000 where id <= 70;
update n set changed = changed + 1000 where id % 2 = 0;
update n set changed = changed + 1000 where id % 3 = 0;
update n set changed = changed + 1000 where id between 20 and 50;
update n set changed = changed + 1000;
begin;
update n set changed = changed + 1000;
rollback;
update n set changed = changed + 1000;
vacuum n;
update n set changed = changed + 1000;
update n set changed = changed + 1000;
