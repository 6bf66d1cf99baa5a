-- COPY reads csv and text with other delimiters, and writes to the client; what it reads is stored as ever.
create table t (a int, b text, c numeric);
copy t from stdin with (format csv, header);
a,b,c
1,"x, ""y""",1.50
2,,3
3,"",
4,"two
lines",5
\.
copy t from stdin csv delimiter ';' null 'none';
5;a'b;none
6;none;7
\.
copy t (b, a) from stdin delimiter '|';
x\|y|7
\\N|8
\N|9
\.
copy t from stdin with (format csv, quote '''');
10,'it''s',1
\.
copy t from stdin with csv;
11,"open,1
\.
copy t from stdin with (format csv);
12,a
\.
select * from t order by a;
copy t to stdout;
copy t (a, c) to stdout with (format csv);
copy (select a from t where a < 4) to stdout csv;
vacuum t;
