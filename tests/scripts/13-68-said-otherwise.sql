-- What people type a little otherwise: a comment behind COPY, STORAGE of a type that is never toasted.
create table t (id int, v text);
copy t from stdin;  -- three rows
1	one
2	two
3	three
\.
alter table t alter id set storage main;
alter table t alter id set storage plain;
alter table t alter v set storage external;
insert into t values (4, repeat('x', 3000));
select id, length(v) from t;
