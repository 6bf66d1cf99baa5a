-- COPY with WHERE, HEADER MATCH, REJECT_LIMIT, and of rows that are changed (src/backend/commands/copy.c, copyfrom.c).
create table pets (id int primary key, name text, kg numeric(4,1));
copy pets (id, name) from stdin with (delimiter ';') where id > 20;
19;no
21;\N
22;yes
\.
select * from pets order by id;
copy pets from stdin where kg > 3 and name like 'T%';
1	Tom	4.5
2	Tim	1
3	Rex	22
\.
copy (delete from pets where id > 20 returning id, name) to stdout;
copy (update pets set kg = kg + 1 returning *) to stdout;
copy (delete from pets) to stdout;
copy pets to stdout with (format xml);
copy pets to stdout with (format csv, delimiter 'ab');
select ctid, * from pets order by id;
