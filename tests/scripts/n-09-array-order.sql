-- The values of IN are looked for in the order of the index, each once, whatever their type and their order in the list (_bt_sort_array_elements).
create table t (a text, b numeric, c int, d date, e int) with (fillfactor = 40);
insert into t select 'k' || lpad(g::text, 3, '0'), g * 0.5, g, date '2020-01-01' + g, 0 from generate_series(1, 300) g;
create index on t (a);
create index on t (b desc);
create index on t (c desc);
create index on t (d, c desc);
analyze t;
set enable_seqscan = off;
set enable_bitmapscan = off;
update t set e = e + 1 where a in ('k' || '200', 'k' || lpad('7', 3, '0'), 'k100', 'k007');
update t set e = e + 1 where b in (3, 100.5, 3.0, 50);
update t set e = e + 1 where c in (7, 90, 3, 90);
update t set e = e + 1 where d in (date '2020-03-01', date '2020-01-05', date '2020-02-02');
update t set e = e + 1 where d in (date '2020-03-01', date '2020-01-05') and c in (1, 4, 60, 2);
select c from t where c in (9, 80, 5) order by c desc limit 2;
select c from t where c in (9, 80, 5) order by c limit 2;
select a from t where a in ('k020', 'k010') order by a desc;
