-- A moment is stored once, and shown by the clocks of the session's zone; a timestamp is what a clock shows, of no zone.
create table calls (caller text, naive timestamp, exact timestamptz);
insert into calls values ('Ann', '2025-03-30 01:30', '2025-03-30 01:30'), ('Ben', '2025-06-15 12:00', '2025-06-15 12:00+02'),
    ('Cid', '2025-01-15 12:00', '2025-01-15 12:00 America/New_York'), ('Dan', '2025-10-26 02:30', '2025-10-26 02:30 Europe/Berlin'),
    ('Eve', '2025-03-30 02:30', '2025-03-30 02:30 europe/berlin'), ('Fay', '2024-02-29 23:59:59.5', '2024-02-29 23:59:59.5 EST');
select * from calls;
set timezone = 'Europe/Berlin';
show timezone;
select * from calls;
insert into calls values ('Gus', '2025-07-01 08:00', '2025-07-01 08:00');
set time zone 'America/New_York';
select caller, exact, exact::timestamp, exact::date, exact::time from calls;
select caller, exact at time zone 'Asia/Tokyo' as tokyo, naive at time zone 'Asia/Kolkata' as kolkata from calls;
select caller, naive::timestamptz from calls;
select caller, date_trunc('day', exact), date_trunc('hour', exact), date_trunc('day', exact, 'Asia/Tokyo') from calls;
select caller, extract(hour from exact) as h, extract(timezone from exact) as tz, extract(timezone_hour from exact) as th,
    extract(epoch from exact) as epoch from calls;
select caller, to_char(exact, 'YYYY-MM-DD HH24:MI:SS TZ TZH:TZM OF') from calls;
select caller, exact + interval '1 day' as day, exact + interval '24 hours' as hours, exact + interval '1 month' as month from calls;
select exact::text, jsonb_build_object('at', exact), concat(exact, '!'), format('%s', exact), row_to_json(calls)->>'exact' from calls where caller = 'Ben';
select array_agg(exact order by caller), string_agg(exact::text, ' ' order by caller), min(exact) from calls where caller < 'C';
select tstzrange('2025-01-01', '2025-07-01');
select d from generate_series('2025-03-08'::timestamptz, '2025-03-10', '1 day') d;
select '2025-03-10'::timestamptz - '2025-03-09'::timestamptz, age('2025-04-09'::timestamptz, '2025-03-09'::timestamptz);
select make_timestamptz(2025, 7, 4, 12, 0, 0), make_timestamptz(2025, 7, 4, 12, 0, 0, 'Australia/Sydney');
select to_timestamp('2025-07-04 12:00', 'YYYY-MM-DD HH24:MI'), to_timestamp(1751644800);
select timestamptz 'infinity', '-infinity'::timestamptz::date;
set time zone 5.5;
show time zone;
select timestamptz '2025-01-01 00:00Z', timestamp '2025-01-01' at time zone '-3', timestamp '2025-01-01' at time zone interval '2 hours';
set time zone -7;
show time zone;
select timestamptz '2025-01-01 00:00Z';
set timezone = 'Mars/Olympus';
set timezone = 'nowhere';
select timestamp '2025-01-01' at time zone 'nowhere';
select '2025-01-01 00:00 Mars/Olympus'::timestamptz;
begin;
set local timezone to 'Asia/Kathmandu';
select exact from calls where caller = 'Ben';
do $$ begin raise notice 'it is %', timestamptz '2025-01-01 00:00Z'; end $$;
commit;
select exact from calls where caller = 'Ben';
reset timezone;
select exact from calls where caller = 'Ben';
select count(*) from calls where exact > '2025-06-01 00:00 Pacific/Auckland' and exact < timestamptz '2025-08-01 00:00 CET';
update calls set exact = exact at time zone 'UTC' at time zone 'Pacific/Honolulu' where caller = 'Ann';
select * from calls where caller = 'Ann';
