-- Found by the random scripts: page al/main:: tuple , t_field.
create unlogged table al (id serial primary key, i int, t text, n numeric, d date default '2024-01-01');
create index al_i on al (i);
insert into al (i, t, n) select (g * 37) % 100, 't' || g % 40, g / 3.0 from generate_series(1, 37 * 8) g;
alter table al cluster on al_i;
alter table al alter i type numeric;
