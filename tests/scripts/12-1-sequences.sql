-- Sequences: a record for every 32 values; serial and identity columns.
create sequence s;
select nextval('s');
select nextval('s') from generate_series(1, 40) g;
create table t (a serial, b int generated always as identity, c text);
insert into t (c) values ('x'), ('y');
insert into t (c) select 'z' from generate_series(1, 40) g;
checkpoint;
insert into t (c) values ('after');
