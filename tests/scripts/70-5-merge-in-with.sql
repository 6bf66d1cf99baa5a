-- heap_wal.md: MERGE and joins that change rows, within WITH; they end once.
create table s705 (sku text primary key, eur numeric(8,2), seen date);
create table s705_feed (sku text, eur numeric(8,2));
insert into s705 values ('a', 1.00, '2025-01-01'), ('b', 2.00, '2025-01-01'), ('d', 3.00, '2025-01-01');
insert into s705_feed values ('a', 1.00), ('b', 2.50), ('d', 4.00), ('b', 2.60);
with gone as (merge into s705 p using s705_feed f on p.sku = f.sku and f.sku = 'd' when matched then delete returning p.*) select * from gone;
select count(*) from s705;
with new as (merge into s705 p using (select sku, max(eur) as eur from s705_feed group by sku) f on p.sku = f.sku when matched then update set eur = f.eur when not matched then insert values (f.sku, f.eur) returning merge_action(), p.sku, p.eur) select * from new order by sku;
with gone as (delete from s705 p using s705_feed f where p.sku = f.sku and f.sku = 'a' returning p.sku), made as (insert into s705 select sku || 'x', eur from s705_feed f where f.eur > 2.5 returning sku) select (select count(*) from gone), (select count(*) from made);
with up as (update s705 p set seen = '2026-01-01' from s705_feed f where f.sku = p.sku returning p.sku) select * from up;
select ctid, * from s705 order by sku;
