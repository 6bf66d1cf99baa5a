-- \if, \elif, \else, \endif as psql follows them: a branch that is not taken is not run, and sets no variable.
create table t (a int);
insert into t values (1), (2);
select count(*) > 1 as many, count(*) as n from t \gset
\if :many
insert into t values (10);
\if false
insert into t values (11);
\else
insert into t values (12);
\endif
\elif true
insert into t values (13);
\else
\set n 99
insert into t values (14);
\endif
insert into t values (:n);
\if :{?nothing}
insert into t values (15);
\endif
select * from t;
