-- where a condition compares with a value at an end of the histogram, the planner reads that end of an index: it kills entries, prunes, sets hint bits
create table t (a int primary key, b int, c text) with (fillfactor = 70);
create index t_b on t (b desc nulls last);
insert into t select g, g % 50, 'x' from generate_series(1, 400) g;
insert into t (a) select generate_series(401, 420);
analyze t;
delete from t where a > 380;
select count(*) from t where a > 399;
delete from t where a <= 20;
select count(*) from t where a <= 5;
insert into t select g, g, 'y' from generate_series(1001, 1040) g;
select count(*) from t where a >= 1030;
update t set c = 'z' where a between 1020 and 2000;
select a from t where b < 1;
update t set b = b + 100 where a % 7 = 0;
select a from t where b > 48 and a % 3 = 0;
delete from t where a > 1000;
--@ session B
begin;
insert into t values (2000, 2000, 'b');
--@ session A
select max(c) from t where a between 300 and 1500;
--@ session B
rollback;
--@ session A
select max(c) from t where a between 300 and 1600;
create index t_part on t (c) where a > 350;
insert into t select g, g, 'y' from generate_series(3001, 3020) g;
select c from t where c = 'y' and a > 370;
-- more than 100 pages of dead rows: the planner does without the end
create table u (a int primary key, b char(3000)) with (autovacuum_enabled = off);
insert into u select g, 'x' from generate_series(1, 300) g;
analyze u;
delete from u where a > 20;
select a from u where a > 299;
select a from u where a > 298;
select a from u where a > 297;
