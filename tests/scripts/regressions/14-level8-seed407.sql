-- Found by the random scripts: length of t_c/main: blocks.
create table t0 (a int primary key, c0 int);
create index t0_c0 on t0 (c0);
begin;
alter table t0 alter c0 type int;
