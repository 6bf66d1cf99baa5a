-- nbtree 7.4, 7.6: long keys: whole branches leave the tree, the fast root moves down, and up again with the next split (INSERT_META); deleted pages wait for old transactions.
create table n (o int, a char(500), b char(500), c char(500));
create index n_abc on n (a, b, c);
insert into n select g, 'a', 'b', 'c' || (1000 + g) from generate_series(1, 80) g;
--@ session B
begin isolation level repeatable read;
select count(*) from n;
--@ session A
delete from n where o between 10 and 65;
vacuum n;
--@ session B
commit;
--@ session A
vacuum n;
insert into n select g, 'a', 'b', 'c' || (1010 + g % 20) from generate_series(301, 312) g;
delete from n where o <> 80;
vacuum n;
vacuum n;
insert into n select g, 'a', 'b', 'd' || g from generate_series(401, 412) g;
