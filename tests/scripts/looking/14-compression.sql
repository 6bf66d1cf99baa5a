-- attcompression, as ALTER COLUMN SET COMPRESSION sets it.
create table t (a int, b text, c text);
alter table t alter column b set compression pglz;
select attname, attcompression, attcompression = '' from pg_attribute where attrelid = 't'::regclass and attnum > -2 order by attnum;
alter table t alter column b set compression default;
select attname, attcompression from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum;
