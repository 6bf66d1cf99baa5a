-- Found by the random scripts: page t/main:: tuple , t_field.
create table t0 (a int, c0 int, c1 text);
begin;
select a from t0 where a = 1 for update;
insert into t0 values (130, -35193, null), (131, 97426, 'OVfu5sdj2b5F');
