-- nbtree 6: CREATE INDEX: pages filled to the fillfactor, posting lists of at most 812 bytes, levels, images in the WAL; REINDEX; dead and HOT-updated rows.
create table n (o int, k int, t text);
create index n_empty on n (k);
drop index n_empty;
insert into n select g, g % 100, 'x' || (g % 7) from generate_series(1, 800) g;
create index n_o on n (o);
create index n_k on n (k);
create index n_t on n (t, o desc) with (fillfactor = 60);
create index n_dup on n ((5)) with (deduplicate_items = off, fillfactor = 70);
create unique index n_uniq on n (o) include (k);
delete from n where o % 3 = 0;
update n set t = 'y' where o % 7 = 0;
reindex index n_k;
create index n_late on n (t);
update n set k = k + 1 where o < 200;
reindex table n;
insert into n select g, g % 100, 'z' from generate_series(1501, 1530) g;
