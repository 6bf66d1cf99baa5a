-- The visibility map and the free space map, before and after VACUUM and a change.
create extension pg_visibility;
create extension pg_freespacemap;
create extension pageinspect;
create table t (a int, b text);
insert into t select g, repeat('x', 100) from generate_series(1, 200) g;
select * from pg_visibility('t');
select * from pg_visibility_map_summary('t');
vacuum t;
select * from pg_visibility_map('t');
select * from pg_visibility('t', 1);
delete from t where a < 20;
select blkno, all_visible, pd_all_visible from pg_visibility('t') where not all_visible;
vacuum freeze t;
select all_visible, all_frozen from pg_visibility_map_summary('t');
select * from pg_freespace('t');
select pg_freespace('t', 0);
select fsm_page_contents(get_raw_page('t', 'fsm', 0));
