-- NOT NULL of CREATE TABLE: names that are given twice, that others have, what LIKE copies
create table c1 (x int not null, constraint c1_x_not_null check (x > 0), constraint q not null x);
create table c2 (x int not null, constraint c2_x_not_null check (x > 0), y int constraint u not null, constraint u not null y);
create table c3 (x int not null, y int constraint u not null, constraint v not null y);
create table c4 (x int constraint u not null, y int constraint u not null);
create table c5 (x int constraint u not null not null, y int not null);
create table c6 (x int not null constraint u not null, y int not null);
create table c7 (x int constraint v not null constraint u not null, y int not null);
create table c8 (x int null, not null x not valid);
create table c9 (x int null, not null nothing);
create table c10 (x int not null deferrable);
create table c11 (x int, not null x deferrable);
create table c12 (x int, not null x, not null x);
create table c13 (x int, constraint a not null x, constraint b not null x);
create table c14 (x int, constraint c14_x_not_null check (x > 0), primary key (x));
create table c15 (x serial not null, y int generated always as identity, z int constraint j not null, u serial constraint r not null, primary key (x, z));
create table c16 (x int constraint t primary key, y int constraint t not null);
create table c18 (x int references c14, y int constraint c18_x_fkey not null);
create table c19 (x int constraint c19_y_key not null, y int unique);
create table c20 (c20_pkey int constraint c20_pkey not null primary key);
select conrelid::regclass, conname, contype, conkey, pg_get_constraintdef(oid) from pg_constraint
    where conrelid in ('c1'::regclass, 'c2'::regclass, 'c5'::regclass, 'c6'::regclass, 'c8'::regclass, 'c12'::regclass, 'c14'::regclass, 'c15'::regclass, 'c18'::regclass, 'c19'::regclass, 'c20'::regclass)
    order by conname, conrelid::regclass::text, contype;
create table l1 (like c15);
create table l2 (like c15 including all);
create table l3 (like c15, not null z);
create table l4 (like c15, constraint gg not null z);
create table l5 (like c15, constraint gg check (x > 0), constraint ggg not null x);
create table l6 (like c15, v int not null);
create table l7 (a int constraint j not null, like c15);
select conrelid::regclass, conname, contype, conkey, pg_get_constraintdef(oid) from pg_constraint
    where conrelid in ('l1'::regclass, 'l2'::regclass, 'l3'::regclass, 'l6'::regclass)
    order by conrelid::regclass::text, conname, contype;
insert into l1 values (1, 2, null, 4);
insert into l1 values (1, 2, 3, 4);
insert into l2 (z) values (3);
alter table l1 drop constraint j;
insert into l1 values (1, 2, null, 4);
drop table if exists c1;
drop table if exists l1;
create table last (a text not null, b int primary key);
insert into last values ('x', 1);
create table abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz (abcdefghijklmnopqrstuvwxyz int not null);
select conname from pg_constraint where conrelid = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz'::regclass;
select oid::regclass from pg_class where relname = 'last';
