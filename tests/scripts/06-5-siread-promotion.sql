-- Many SIREAD locks become one on the block, or on the relation; those of a leaf that is split are on both halves (PredicateLockPageSplit).
create table t (a int primary key, b int);
insert into t select g, 1 from generate_series(1, 2000) g;
vacuum t;
analyze t;
create table u (a int primary key, b int);
insert into u select g, 1 from generate_series(1, 300) g;
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session B
set enable_seqscan = off;
set enable_bitmapscan = off;
--@ session A
begin isolation level serializable;
select b from t where a between 1 and 2;
select b from u where a = 1;
--@ session B
begin isolation level serializable;
select b from t where a between 1 and 2;
update u set b = 0 where a = 1;
--@ session A
update t set b = 0 where a = 3;
commit;
--@ session B
commit;
begin isolation level serializable;
select b from t where a between 11 and 13;
select b from u where a = 1;
--@ session A
begin isolation level serializable;
select b from u where a = 200;
update t set b = 0 where a = 20;
--@ session B
update u set b = 9 where a = 200;
commit;
--@ session A
commit;
begin isolation level serializable;
select sum(b) from t where a in (1,100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,10,20);
select sum(b) from t where a in (1,2,3,100,101,102,200,201,202,300,301,302,400,401,402,500,501,502,600,601,602,700,800,900,1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,10,20);
--@ session B
begin isolation level serializable;
select b from u where a = 50;
update t set b = 4 where a = 1550;
--@ session A
update u set b = 3 where a = 51;
update u set b = 4 where a = 50;
commit;
--@ session B
commit;
begin isolation level serializable;
select b from u where a = 150;
--@ session A
insert into u select g, 2 from generate_series(301, 600) g;
begin isolation level serializable;
select b from t where a = 7;
insert into u values (700, 1);
--@ session B
update t set b = 3 where a = 7;
commit;
--@ session A
commit;
select count(*), sum(b) from u;
