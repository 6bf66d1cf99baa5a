-- A row that turns out to be a duplicate is looked up itself before the statement fails, and with that its page is pruned
-- (_bt_check_unique: table_index_fetch_tuple_check of the new row, SnapshotSelf).
create table t (a int primary key, b int, c text);
insert into t values (0, 0, 'on the first block');
insert into t select g, 0, repeat('x', 400) from generate_series(1, 16) g;
insert into t values (20, 0, repeat('y', 700));
-- the second block: a chain whose dead versions can go, and little room
do $$ begin for i in 1..8 loop update t set b = b + 1 where a = 20; commit; end loop; end $$;
insert into t values (21, 0, repeat('z', 1360));
-- fails, and prunes the second block
insert into t values (22, 1, 'the new row is here'), (0, 1, 'and so is its duplicate');
select a, b from t where a >= 20;
