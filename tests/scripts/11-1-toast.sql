-- heap_wal 2.7, 2.8: which values are compressed and which move out; updates that leave a TOAST value alone; columns of other storage.
create table t (a int, b text, c text);
insert into t values (1, repeat('a', 2500), null);
insert into t select 2, string_agg(md5(g::text), ''), repeat('b', 100) from generate_series(1, 62) g;
insert into t select 3, string_agg(md5(g::text), ''), repeat('c', 5000) from generate_series(1, 40) g;
insert into t select 4, string_agg(md5(g::text), ''), string_agg(md5((-g)::text), '') from generate_series(1, 50) g;
update t set a = 20 where a = 2;
update t set c = 'short' where a = 4;
update t set b = 'short' where a = 4;
alter table t alter column b set storage external;
insert into t values (5, repeat('d', 3000), null);
alter table t alter column b set storage main;
insert into t values (6, repeat('e', 9000), null);
delete from t where a = 3;
begin;
insert into t select 7, string_agg(md5(g::text), ''), null from generate_series(1, 100) g;
rollback;
vacuum t;
select a, length(b), length(c) from t;
