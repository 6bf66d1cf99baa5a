-- Records of the WAL as pg_walinspect shows them. LSNs, files and other databases' records are the server's own.
create extension pg_walinspect;
create table w (id int primary key, v text);
insert into w select i, 'x' from generate_series(1, 20) i;
select pg_current_wal_insert_lsn() as before \gset
insert into w values (21, 'y');
update w set v = 'z' where id = 3;
delete from w where id = 4;
select pg_current_wal_insert_lsn() as after \gset
select xid <> '0' as has_xid, resource_manager, record_type, record_length, main_data_length, fpi_length, case when record_type <> 'COMMIT' then description end as description from pg_get_wal_records_info(:'before', :'after') order by start_lsn;
select resource_manager, record_type, record_length from pg_get_wal_record_info(:'before');
select "resource_manager/record_type", count, record_size, fpi_size, combined_size, round(combined_size_percentage::numeric, 2) from pg_get_wal_stats(:'before', :'after', true);
select count(*), sum(count), sum(combined_size) from pg_get_wal_stats(:'before', :'after') where count > 0;
select start_lsn <= end_lsn, prev_lsn < start_lsn from pg_get_wal_records_info(:'before', :'after');
select * from pg_get_wal_records_info(:'after', :'before');
select count(*) from pg_get_wal_records_info(null, null);
select * from pg_get_wal_records_info(1, 2);
