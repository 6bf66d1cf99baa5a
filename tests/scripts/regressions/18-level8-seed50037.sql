-- An index that is made again with its old file, in a block: the old one is seen until the end. Found by the random scripts.
create table t0 (a int primary key, c0 int, c1 text, c2 smallint not null, c3 smallint);
create index t0_c0 on t0 (c0);
alter table t0 set unlogged;
begin;
alter table t0 alter c0 type int;
update t0 set x48 = null where a between 44 and 103;
