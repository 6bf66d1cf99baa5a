-- Found by the random scripts: page al/main:: line pointer .
create table al (id serial primary key, i int, t text, n numeric, d date default '2024-01-01');
create index al_i on al (i);
insert into al (i, t, n) select (g * 37) % 100, 't' || g % 40, g / 3.0 from generate_series(1, 14 * 8) g;
delete from al where i < 13;
cluster al using al_i;
