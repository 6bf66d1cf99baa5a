-- heap_wal 10.2, 10.3: recovery of maps, sequences, TOAST and UNLOGGED tables; transactions that ran are gone, what they made too.
create table t (a int, b text) with (fillfactor = 70);
insert into t select g, repeat('x', 20 + g) from generate_series(1, 200) g;
create table big (a int, b text);
insert into big values (1, repeat('abcdefghij', 300));
create unlogged table u (a int);
insert into u select g from generate_series(1, 50) g;
create table sq (id serial, x int);
select nextval('sq_id_seq');
delete from t where a % 7 = 0;
vacuum t;
checkpoint;
select nextval('sq_id_seq');
delete from t where a between 20 and 40;
vacuum t;
update t set b = 'short' where a = 50;
insert into u values (100);
insert into t select g, 'more' from generate_series(300, 400) g;
begin;
insert into t values (1000, 'never');
create table never (a int);
--@ crash
select count(*) from t;
select count(*) from u;
select nextval('sq_id_seq');
insert into t values (500, 'after');
vacuum t;
