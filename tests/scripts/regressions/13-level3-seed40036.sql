-- Found by the random scripts: record , Heap/HOT_UPDATE: position.
create table t0 (a int, c0 int, c1 text) with (fillfactor = 90);
insert into t0 (a, c0, c1) select g, g % 7, 'dBXluy7mMgZVqRVrahM5jieeqr4zIYM7HbNVhwSTK2Zhp0KXhaeS0hbg184Gx3dX1J6pFGMRd6FRcqbgbeGvApjaFiDZmMnLEc5TByTjGdBc0k72TjNRuOTBNKOGIA7v5I' from generate_series(30, 87, 1) g;
begin;
select a from t0 where a >= 24 for key share;
insert into t0 values (114, -25661, 'aaaaaaaaaaaaaaaaaaaaaaaaa');
savepoint s0;
update t0 set c0 = -48911 where a between 62 and 65;
update t0 set c0 = c0 + 1 where a between 98 and 155;
