-- Triggers of TRUNCATE, of views, with transition tables, of columns (ExecBSTruncateTriggers, ExecIRInsertTriggers,
-- MakeTransitionCaptureState).
create table t (id int primary key, v text, n int default 0) with (autovacuum_enabled = off);
create table seen (k int generated always as identity, what text) with (autovacuum_enabled = off);
insert into t values (1, 'a'), (2, 'b'), (3, 'c');
create function no_truncate() returns trigger language plpgsql as 'begin raise exception ''truncate of % is forbidden'', tg_table_name; end';
create trigger no_truncate before truncate on t execute function no_truncate();
truncate t;
select count(*) from t;
alter table t disable trigger no_truncate;
create function told() returns trigger language plpgsql as $$
begin
  insert into seen (what) values (tg_name || ' ' || tg_when || ' ' || tg_level || ' ' || tg_op || ' ' || coalesce(tg_argv[0], '-') || tg_nargs);
  return null;
end $$;
create trigger t_truncated after truncate on t for each statement execute function told('x');
create trigger t_before before truncate on t execute function told();
truncate t;
select what from seen order by k;
create trigger bad before truncate on t for each row execute function told();
insert into t values (1, 'a'), (2, 'b'), (3, 'c');
create trigger t_cols after update of v on t for each row when (old.v is distinct from new.v) execute function told('col', 7);
update t set n = 1;
update t set v = v where id = 1;
update t set v = 'z', n = 2 where id < 3;
select what from seen order by k;
-- transition tables
create function sums() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into seen (what) select 'ins ' || count(*) || ' ' || max(id) from new_rows;
  elsif tg_op = 'UPDATE' then
    insert into seen (what) select 'upd ' || o.id || ' ' || o.n || '>' || w.n from old_rows o join new_rows w using (id) order by o.id;
  else
    insert into seen (what) select 'del ' || string_agg(v, ',' order by id) from old_rows;
  end if;
  return null;
end $$;
create trigger t_ins after insert on t referencing new table as new_rows for each statement execute function sums();
create trigger t_upd after update on t referencing old table as old_rows new table as new_rows for each statement execute function sums();
create trigger t_del after delete on t referencing old table as old_rows for each statement execute function sums();
insert into t select i, 'i' || i from generate_series(10, 14) i;
update t set n = n + 5 where id > 11;
delete from t where id in (10, 12);
delete from t where id = 999;
select what from seen order by k;
select ctid, * from t order by id;
select ctid, * from seen order by k;
