-- nbtree 5.2, 5.4: bottom-up deletion takes single TIDs out of posting lists; a snapshot that is held keeps versions, and the leaf is deduplicated or split.
create table n (id int, k int, c int, f char(80));
create index n_k on n (k, f);
create index n_id on n (id, f);
create index n_c on n (c);
insert into n select g, g % 5, 0, 'f' from generate_series(1, 90) g;
update n set c = c + 1;
update n set c = c + 1;
update n set c = c + 1;
--@ session B
begin isolation level repeatable read;
select count(*) from n;
--@ session A
update n set c = c + 1;
update n set c = c + 1;
--@ session B
commit;
--@ session A
update n set c = c + 1;
update n set c = c + 1;
