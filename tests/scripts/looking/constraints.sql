-- pg_constraint with pg_get_constraintdef.
create table p (id int primary key, k text unique, n int not null check (n > 0), constraint two unique (n, k));
create table c (id int primary key, p int references p on delete cascade on update set null, k text references p (k), constraint pos check (id > 0 and p > 0));
create unique index c_uq on c (k, id) include (p);
alter table c drop constraint c_pkey, add constraint c_pkey primary key using index c_uq;
alter table c add constraint later check (id < 100) not valid;
select conname, contype, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'p'::regclass and contype in ('p', 'u', 'c') order by conname;
select conname, contype, pg_get_constraintdef(oid), convalidated, confrelid::regclass, confdeltype, confupdtype, confmatchtype, conindid::regclass from pg_constraint where conrelid = 'c'::regclass and contype in ('p', 'f', 'c') order by conname;
select conname, conkey, condeferrable, condeferred from pg_constraint where conname = 'two' and contype = 'u';
