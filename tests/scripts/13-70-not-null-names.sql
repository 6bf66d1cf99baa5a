-- Before 18 a name of NOT NULL is read and forgotten, and NOT NULL is no constraint of a table
create table t (a int constraint aa not null, b int constraint b1 not null constraint b1 not null, c int not null primary key);
insert into t values (1, 1, 1), (2, 2, null);
insert into t values (3, null, 3);
alter table t alter c drop not null;
alter table t add constraint aa check (b > 5) not valid;
alter table t alter a drop not null;
alter table t alter b drop not null, alter a drop not null;
insert into t values (4, null, 4), (null, 6, 5);
create unique index tb on t (b);
delete from t where b is null;
alter table t alter b set not null;
alter table t replica identity using index tb;
alter table t alter b drop not null;
create table u (x int not null deferrable);
create table last (a int not null, b int not null);
insert into last values (1, 2);
