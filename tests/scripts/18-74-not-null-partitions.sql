-- Partitions have NOT NULL by their table's names, what is attached by its own
create table p (x int not null, y int constraint py not null) partition by range (x);
create table p1 partition of p for values from (1) to (2);
create table p2 (x int not null, y int not null);
alter table p attach partition p2 for values from (3) to (4);
create table p3 (x int not null, y int);
alter table p3 add constraint p3yy not null y not valid;
alter table p attach partition p3 for values from (5) to (6);
select conrelid::regclass, conname, contype, conkey, conislocal, pg_get_constraintdef(oid) from pg_constraint
    where conrelid in ('p'::regclass, 'p1'::regclass, 'p2'::regclass, 'p3'::regclass) order by conrelid::regclass::text, conname;
alter table p add primary key (x);
insert into p values (1, 1), (3, null);
insert into p values (1, 1), (3, 3);
alter table p detach partition p1;
alter table p1 drop constraint py;
insert into p1 values (9, null);
select conrelid::regclass, conname, contype, conkey, conislocal, pg_get_constraintdef(oid) from pg_constraint
    where conrelid in ('p'::regclass, 'p1'::regclass, 'p2'::regclass) order by conrelid::regclass::text, conname;
create table q (a int, b int not null, primary key (a)) partition by list (a);
create table q1 partition of q for values in (1);
select conrelid::regclass, conname, contype, conkey, conislocal from pg_constraint
    where conrelid in ('q'::regclass, 'q1'::regclass) order by conrelid::regclass::text, conname;
drop table if exists p, q;
create table last (a int not null);
insert into last values (1);
