-- Rows that are compared, as a page is asked for by its last row (keyset pagination): an index takes them over.
create table post (id int primary key, created date not null, title text);
insert into post select i, date '2024-01-01' + (i / 7), 'post ' || i from generate_series(1, 3000) i;
create index post_created_id on post (created, id);
create index post_desc on post (created desc, id desc) where id > 1500;
vacuum analyze post;
explain select * from post where (created, id) < ('2024-06-01', 1000) order by created desc, id desc limit 5;
select * from post where (created, id) < ('2024-06-01', 1000) order by created desc, id desc limit 5;
explain (analyze, costs off, timing off, summary off, buffers off) select * from post where (created, id) < ('2024-06-01', 1000) order by created desc, id desc limit 5;
explain select * from post where (created, id) > ('2025-02-01', 2000) order by created, id limit 3;
select id from post where (created, id) > ('2025-02-01', 2000) order by created, id limit 3;
select id from post where (created, id) >= (date '2025-02-02', 2784) order by created, id limit 3;
select count(*) from post where (created, id) <= (date '2024-01-02', 8);
explain select * from post where (created, id) >= ('2025-02-01', 2000);
explain select * from post where ('2025-02-01', 2000) < (created, id);
-- no index has its columns so: a bound of the first one, and a filter
explain select * from post where (id, title) < (40, 'post 3');
select id from post where (id, title) < (11, 'post 3') order by id desc;
explain select * from post where (title, id) < ('post 3', 40);
select count(*) from post where (title, id) < ('post 3', 40);
-- an equality before
create table note (owner int, at int not null, id int not null, body text);
insert into note select i % 5, i / 3, i, repeat('n', 40) from generate_series(1, 2000) i;
create index note_owner on note (owner, at, id);
vacuum analyze note;
explain select id from note where owner = 2 and (at, id) > (400, 1201) order by at, id limit 4;
select id from note where owner = 2 and (at, id) > (400, 1201) order by at, id limit 4;
select id from note where owner = 2 and (at, id) < (400, 1202) order by at desc, id desc limit 4;
-- NULL
select count(*) from post where (created, id) < (null, 5);
select count(*) from post where (created, id) < ('2024-01-03', null);
select (1, null) < (2, 3) as first, (1, null) < (1, 3) as second, (1, 2) >= (1, 2) as third;
create table gaps (a int, b int);
insert into gaps values (1, 1), (1, null), (2, 2), (null, 3), (2, null);
create index on gaps (a, b);
set enable_seqscan = off;
select * from gaps where (a, b) > (1, 1) order by a, b;
select * from gaps where (a, b) < (2, 2) order by a, b;
-- changes by it
update post set title = 'first' where (created, id) <= ('2024-01-02', 8);
delete from post where (created, id) > ('2025-03-01', 2980);
prepare page(date, int) as select id from post where (created, id) < ($1, $2) order by created desc, id desc limit 2;
execute page('2024-03-01', 420);
-- what is wrong
select (1, 2) < (1, 2, 3);
select (1, 'x') < (1, 2);
select count(*) from post where not ((created, id) < ('2024-06-01', 1000));
