-- Found by the random scripts: page va/main:: pd_upper.
create table pt (a int, c0 int, t text) partition by range (a);
create type mood as enum ('low', 'mid', 'high');
create table va (id int primary key, m mood default 'low', j jsonb default '[]', r int[], s text[], o oid);
insert into va (id, m, j, r, o) select g, (array['low', 'mid', 'high'])[1 + g % 3]::mood, jsonb_build_object('n', g, 's', repeat('x', g)), array[g, g + 1], g from generate_series(1, 29) g;
update va set r[5] = 16 where id < 13;
update va set r = r[1:2] where id < 15;
