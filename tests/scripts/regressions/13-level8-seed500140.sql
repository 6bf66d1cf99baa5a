-- Found by the random scripts: outcome: status.
create unlogged table al (id serial primary key, i int, t text, n numeric, d date default '2024-01-01');
create index al_t on al (t, i desc);
--@ session B
cluster al using al_t;
--@ session C
alter table al alter t type char(30);
cluster al;
