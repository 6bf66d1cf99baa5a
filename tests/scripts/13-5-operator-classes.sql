-- CREATE INDEX of a type that the access method has no operator class for fails before a transaction id is taken.
create table t (a boolean, b json, c jsonb, d int[], e text[], f inet, g interval, h uuid, i bytea, j "char", k numeric, l varchar(5));
insert into t values (true, '1', '2', '{3}', '{4}', '1.2.3.4', '1 day', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'x', 'y', 5, 'z');
create index on t using brin (a);
create index on t using brin (b);
create index on t using brin (c);
create index on t using brin (d);
create index on t using brin (e);
create index on t using brin (g, h, i, j, k, l);
create index on t (b);
create index on t (a, d, e, f, g, h);
insert into t (k) values (1);
update t set k = 2 where k = 1;
