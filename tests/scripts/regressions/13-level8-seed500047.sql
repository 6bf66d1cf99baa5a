-- Found by the random scripts: length of t_c/main: blocks.
create table t1 (a int primary key, c0 int, c1 text, c2 timestamp, c3 char(40));
create index t1_c0 on t1 (c0);
begin;
alter table t1 alter c0 type int;
