-- Found by the random scripts: outcome: status.
create type mood as enum ('low', 'mid', 'high');
create table va (id int primary key, m mood default 'low', j jsonb default '[]', r int[], s text[], o oid, k regclass);
--@ session B
explain select * from va where m = 'mid';
