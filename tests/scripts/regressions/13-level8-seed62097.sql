-- Found by the random scripts: page dk/main:: pd_lsn.
create table dk (id int primary key deferrable initially deferred, code text, n int, constraint dk_code unique (code) deferrable initially immediate);
insert into dk select g, 'c' || g, g % 5 from generate_series(1, 40) g;
--@ session C
begin;
update dk set id = 2 - id;
update dk set id = id % 7;
update dk set id = id + 27 * 100;
commit;
--@ session A
update dk set id = id + 1 where n < 25;
