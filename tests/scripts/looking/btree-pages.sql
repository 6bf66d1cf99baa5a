-- B-tree pages as pageinspect shows them: metapage, leaves, root, posting lists, high keys, killed items.
create extension pageinspect;
create table t (a int primary key, b int);
create index i on t (b);
insert into t select g, g % 10 from generate_series(1, 1000) g;
select * from bt_metap('t_pkey');
select blkno, type, live_items, dead_items, avg_item_size, page_size, free_size, btpo_prev, btpo_next, btpo_flags from generate_series(1, 3) n, bt_page_stats('t_pkey', n::int);
select * from bt_page_items('t_pkey', 1) limit 5;
select itemoffset, ctid, itemlen, nulls, vars, data, dead, htid, array_length(tids, 1) from bt_page_items('i', 1) limit 5;
select * from bt_page_items('t_pkey', 3);
select itemoffset, data from bt_page_items(get_raw_page('i', 1)) where itemoffset = 2;
select * from bt_page_stats('t_pkey', 0);
select * from bt_metap('t');
