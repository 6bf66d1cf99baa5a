-- Heap pages as pageinspect shows them, through functions that read what stands before them in FROM.
create extension pageinspect;
create table t (a int primary key, b text, c int);
insert into t select g, 'row ' || g, case when g % 2 = 0 then g end from generate_series(1, 200) g;
update t set b = 'new' where a = 3;
delete from t where a = 4;
select lower, upper, special, pagesize, version, flags from page_header(get_raw_page('t', 0));
select lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask2, t_infomask, t_hoff, t_bits, t_data from heap_page_items(get_raw_page('t', 0)) where lp < 8;
select t_xmin = t_xmax, t_field3 from heap_page_items(get_raw_page('t', 0)) where lp < 5;
select lp, raw_flags, combined_flags from heap_page_items(get_raw_page('t', 0)), lateral heap_tuple_infomask_flags(t_infomask, t_infomask2) where lp < 6;
select b, lp, t_ctid from generate_series(0, 1) b, heap_page_items(get_raw_page('t', b)) where lp <= 2;
select lp, t_attrs from heap_page_item_attrs(get_raw_page('t', 0), 't'::regclass) where lp < 4;
select count(*), min(lp_len) from heap_page_items(get_raw_page('t', 0)) where lp_flags = 1;
select get_raw_page('t', 99);
select * from heap_page_items('x');
vacuum t;
select lp, lp_flags, lp_off from heap_page_items(get_raw_page('t', 'main', 0)) where lp < 6 order by lp desc;
select page_checksum(get_raw_page('t', 0), 0) is not null;
