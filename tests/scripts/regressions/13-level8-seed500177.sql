-- Found by the random scripts: page tg/main:: pd_lsn.
create table tg (a int primary key, c0 int, c1 text default 'none', n int default 0) with (fillfactor = 60);
create function tg_before() returns trigger language plpgsql as $$ begin new.n = coalesce(new.n, 0) + 1; if new.c0 % 11 = 0 then return null; end if; if tg_op = 'UPDATE' then new.c1 = old.c1 || '.'; end if; return new; end $$;
create trigger tg_b before insert or update on tg for each row execute function tg_before();
alter table tg disable trigger user;
insert into tg (a, c0) select g, (g * 7) % 30 from generate_series(55000, 55000 + 14) g;
update tg set a = a + 100000000 where c0 = 29;
