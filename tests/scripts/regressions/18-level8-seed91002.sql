-- Found by the random scripts: outcome: error.
create table sa (id int primary key, region text, amount int);
create materialized view mv as select region, sum(amount) total, count(*) n from sa group by region order by region;
refresh materialized view concurrently mv;
