-- COPY FROM in a READ ONLY transaction fails before it asks for a row; the session goes on.
create table t (a int);
begin read only;
copy t from stdin;
1
\.
copy t from stdin;
1
\.
rollback;
copy t from stdin;
1
\.
