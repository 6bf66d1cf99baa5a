-- DO with a loop and COMMIT: many transactions in a statement.
create table t (a int, b int);
do $$ begin for i in 1 .. 10 loop insert into t values (i, i); commit; end loop; end $$;
-- status: DO
do $$ begin for i in 1 .. 5 loop update t set b = b + 1 where a = i; end loop; end $$;
select count(*) from t;
