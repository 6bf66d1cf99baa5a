-- nbtree 5.4, 5.5: version churn: bottom-up deletion (14 and later) in the index whose key stays; in the index on the changed column only 14 gets the hint.
create table n (id int primary key, same int, changed int);
create index n_same on n (same);
create index n_changed on n (changed);
insert into n select g, g, g from generate_series(1, 250) g;
update n set changed = changed + 1000 where id <= 250;
update n set changed = changed + 1000 where id <= 250;
update n set changed = changed + 1000 where id % 2 = 0;
update n set changed = changed + 1000 where id % 3 = 0;
update n set changed = changed + 1000 where id between 50 and 150;
update n set changed = changed + 1000;
update n set changed = changed + 1000;
update n set changed = changed + 1000;
begin;
update n set changed = changed + 1000;
rollback;
update n set changed = changed + 1000;
vacuum n;
update n set changed = changed + 1000;
