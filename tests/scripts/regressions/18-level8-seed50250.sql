-- CLUSTER compares costs only: from 18 on enable_seqscan does nothing to it. Found by the random scripts.
create table al (id serial primary key, i int, t text, n numeric, d date default '2024-01-01');
create index al_i on al (i);
insert into al (i, t, n) select (g * 37) % 100, 't' || g % 40, g / 3.0 from generate_series(1, 15 * 8) g;
set enable_seqscan = off;
cluster al using al_i;
