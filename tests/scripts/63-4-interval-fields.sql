-- Intervals by their fields: YEAR TO MONTH, DAY TO SECOND(n), as literals, casts and columns.

select interval '1-2' year to month, interval '3' day, interval '1' year, interval '5' month, interval '7' hour, interval '8' minute, interval '9' second;
select interval '1 2:03' day to hour, interval '1 2:03' day to minute, interval '1 2:03:04.567' day to second, interval '2:03' hour to minute, interval '2:03:04' hour to second, interval '3:04.5' minute to second;
select interval(0) '1.6 seconds', interval '1.678' second(1), interval '1 2:03:04.5678' day to second(2), interval '12:34:56.789' hour to second(0);
select '1 2:03:04'::interval day to second, cast('1-2' as interval year), '1 day 2 hours'::interval hour, '1.5 sec'::interval(0), '1 year 2 mons 3 days 04:05:06.7'::interval month;
select '1 year 2 mons 3 days 04:05:06.7'::interval year, '1 year 2 mons 3 days 04:05:06.7'::interval day, '1 year 2 mons 3 days 04:05:06.7'::interval minute, '1 year 2 mons 3 days 04:05:06.7'::interval second, '1 year 2 mons 3 days 04:05:06.7'::interval year to month;
select interval '1 2' hour to minute, interval '12' minute to second;
select interval '1' day to second, interval '1:2' day to second, interval '-1-2' year to month, interval '-3' hour, interval '1:30' minute, interval '1 day' hour;
create table iv(a interval year to month, b interval day to second(3), c interval(2), d interval day, e interval);
insert into iv values ('1-2','3 04:05:06.789123','1.23456 s','4 days 5 hours','1 day');
select * from iv;
insert into iv select interval '14 months 3 days', interval '14 months 3 days 2 secs', '1.999 s', '5', '5';
select * from iv;
select format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid='iv'::regclass and attnum>0 order by attnum;
select interval 'x' day;
select pg_typeof(interval '1' day);
alter table iv alter column e type interval hour to minute;
select e from iv;
select interval '1.5' day, interval '1.5' hour, interval '1e1' day, interval '' day;
select interval '1 month' day, interval '10' year to month, interval '1 10' day to minute, interval '1 1' second, interval '3' day + date '2024-01-01';
select 5 * interval '1' minute, date '2024-01-31' + interval '1' month;
drop table iv;
