-- An index that is made again with its old file, in a block: the old one is seen until the end. Found by the random scripts.
create table t1 (a int primary key, c0 int, c1 text, c2 text not null, c3 text) with (fillfactor = 90);
create index t1_c0 on t1 (c0);
begin;
alter table t1 alter c0 type int;
commit;
