-- Operator classes that are named: those of patterns have an order of their own, by which no range is found and nothing is sorted.
create table o (id int, t text, v varchar(20), c char(8));
create index o_p on o (t text_pattern_ops);
create index o_v on o (v varchar_pattern_ops desc);
create index o_c on o (c bpchar_pattern_ops);
create index o_i on o (id int4_ops, t text_ops);
create index on o (id text_pattern_ops);
create index on o (t int4_ops);
insert into o select g, 'name ' || g, 'n' || g, 'c' || g from generate_series(1, 1000) g;
analyze o;
explain (costs off) select id from o where t = 'name 7';
explain (costs off) select id from o where t > 'name 98';
explain (costs off) select t from o order by t limit 3;
select id from o where t = 'name 7';
select count(*) from o where t > 'name 98';
update o set t = t || '!' where id between 10 and 20;
delete from o where id % 10 = 0;
vacuum o;
